/** Lays out a directed graph: its nodes, and the curves between them. Loaded with the first graph. */
import { Graph, layout } from "@dagrejs/dagre";

export interface GraphNode {
  readonly id: string;
  readonly label: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Shown next to it in the picture. */
  readonly label: string;
  /** The full label, if it is longer. */
  readonly whole?: string;
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly (GraphNode & Box)[];
  readonly edges: readonly (GraphEdge & {
    readonly path: string;
    readonly labelAt: { x: number; y: number } | null;
  })[];
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const CHARACTER_PX = 7.2;
const NODE_HEIGHT = 32;
const MAX_LABEL = 28;

function short(label: string): string {
  return label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label;
}

/** Ignores edges to missing nodes. */
export function place(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  direction: "TB" | "LR",
): Placed {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: direction,
    nodesep: 28,
    ranksep: direction === "LR" ? 56 : 40,
    marginx: 12,
    marginy: 12,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, label } of nodes)
    graph.setNode(id, { width: Math.max(64, short(label).length * CHARACTER_PX + 24), height: NODE_HEIGHT });
  const known = edges.filter(({ from, to }) => graph.hasNode(from) && graph.hasNode(to));
  known.forEach(({ from, label, to }, at) => {
    const width = short(label).length * 6.2 + 8;
    const box = label === "" ? {} : { width, height: 16, labelpos: "c" };
    graph.setEdge(from, to, box, String(at));
  });
  layout(graph);
  const size = graph.graph() as { width?: number; height?: number };
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    nodes: nodes.map((node) => ({ ...node, ...(graph.node(node.id) as Box) })),
    edges: known.map((edge, at) => {
      const way = graph.edge({ v: edge.from, w: edge.to, name: String(at) }) as Way;
      const labelAt = way.x === undefined || way.y === undefined ? null : { x: way.x, y: way.y };
      return { ...edge, path: curve(way.points ?? []), labelAt: edge.label === "" ? null : labelAt };
    }),
  };
}

interface Way {
  readonly points?: readonly { readonly x: number; readonly y: number }[];
  readonly x?: number;
  readonly y?: number;
}

/** A curve through the midpoints between the points, so that corners are round. */
function curve(points: NonNullable<Way["points"]>): string {
  const [first, ...others] = points;
  const last = others.at(-1);
  if (!first || !last) return "";
  const at = ({ x, y }: { x: number; y: number }) => `${x.toFixed(1)},${y.toFixed(1)}`;
  const bends = others.slice(0, -1).map((point, index) => {
    const next = others[index + 1] ?? last;
    const middle =
      index === others.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${at(point)} ${at(middle)}`;
  });
  return `M${at(first)}${bends.length === 0 ? `L${at(last)}` : bends.join("")}`;
}
