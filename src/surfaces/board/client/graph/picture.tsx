/** A graph as a picture, and as a list for people who cannot see it. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { OneLine, oneLine } from "../words.tsx";
import type { GraphEdge, GraphNode, Placed } from "./layout.ts";

interface PictureNode extends GraphNode {
  /** Classes of the box: `at`, `final`, `done`. */
  readonly kind: string;
  readonly title: string;
  /** The address that it leads to. Absent: it is no link. */
  readonly href?: string;
}

export interface PictureProps {
  readonly name: string;
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly GraphEdge[];
  readonly direction?: "TB" | "LR";
}

export function Picture({ direction = "TB", edges, name, nodes }: PictureProps) {
  const [placed, setPlaced] = useState<Placed | null>(null);
  const shape = JSON.stringify([nodes.map(({ id, label }) => [id, label]), edges, direction]);
  // Lays out again only if the graph's structure differs, not after each answer.
  useEffect(() => {
    let isCurrent = true;
    import("./layout.ts").then(({ place }) => {
      if (isCurrent) setPlaced(place(nodes, edges, direction));
    });
    return () => {
      isCurrent = false;
    };
  }, [shape]);
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const frame = useRef<HTMLDivElement>(null);
  const here = nodes.find(({ kind }) => kind.includes("at"))?.id;
  useEffect(() => {
    const node = placed?.nodes.find(({ id }) => id === here);
    // If the picture is wider than the screen, scroll to the marked node first.
    if (node && frame.current) frame.current.scrollLeft = node.x - frame.current.clientWidth / 2;
  }, [placed, here]);
  return (
    <>
      <div
        ref={frame}
        class="picture"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        tabIndex={0}
        role="group"
        aria-label={`${oneLine(name, 80)}, as a picture`}
      >
        {placed && <Drawn placed={placed} nodes={nodes} name={name} />}
      </div>
      <details class="picture-list">
        <summary>The same as a list</summary>
        <ul>
          {nodes.map((node) => (
            <li key={node.id}>
              {node.href === undefined ? (
                <strong class="mono">{oneLine(node.label, 80)}</strong>
              ) : (
                <a href={node.href}>{oneLine(node.title, 200)}</a>
              )}
              {node.kind.includes("at") && " (here)"}
              <ul>
                {edges
                  .filter(({ from }) => from === node.id)
                  .map(({ label, to, whole = label }, at) => (
                    <li key={at}>
                      {whole && <OneLine text={whole} max={400} />} →{" "}
                      <OneLine text={labels.get(to) ?? to} max={80} />
                    </li>
                  ))}
              </ul>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function Drawn({
  name,
  nodes,
  placed,
}: {
  readonly placed: Placed;
  readonly nodes: readonly PictureNode[];
  readonly name: string;
}) {
  const arrow = useId();
  const kinds = new Map(nodes.map((node) => [node.id, node]));
  const here = nodes.find(({ kind }) => kind.includes("at"))?.id;
  return (
    <svg
      viewBox={`0 0 ${placed.width} ${placed.height}`}
      width={placed.width}
      height={placed.height}
      role={nodes.some(({ href }) => href !== undefined) ? "group" : "img"}
      aria-label={`${oneLine(name, 80)}${here === undefined ? "" : `, at ${here}`}`}
    >
      <defs>
        <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 8 4 0 8z" class="arrow" />
        </marker>
      </defs>
      {placed.edges.map(({ from, label, path, to, whole }, at) => (
        <g key={at} class={from === here ? "edge next" : "edge"}>
          <path d={path} marker-end={`url(#${arrow})`}>
            <title>{oneLine(`${from} → ${to}: ${whole ?? label}`)}</title>
          </path>
        </g>
      ))}
      {placed.edges.map(
        ({ from, label, labelAt }, at) =>
          labelAt && (
            <text
              key={at}
              class={from === here ? "edge-label next" : "edge-label"}
              x={labelAt.x}
              y={labelAt.y + 4}
              text-anchor="middle"
            >
              {cut(label)}
            </text>
          ),
      )}
      {placed.nodes.map(({ height, id, label, width, x, y }) => {
        const { href, kind = "", title = label } = kinds.get(id) ?? {};
        const box = (
          <>
            <title>{oneLine(title)}</title>
            <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx="6" />
            <text x={x} y={y + 4} text-anchor="middle">
              {cut(label)}
            </text>
          </>
        );
        return (
          <g key={id} class={`node ${kind}`}>
            {href === undefined ? box : <a href={href}>{box}</a>}
          </g>
        );
      })}
    </svg>
  );
}

/** Cut to the width of its box. */
function cut(label: string): string {
  return oneLine(label, 27);
}
