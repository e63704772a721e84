import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface PartProps {
  readonly title: string;
  /** The name by which a chip of the brief leads here. */
  readonly place?: string;
  readonly side?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page: in a review, `j` and `k` stop at its heading. */
export function Part({ children, place, side, title }: PartProps) {
  const id = useId();
  return (
    <section class="part" aria-labelledby={id} data-place={place}>
      <div class="part-head">
        <h2 id={id} tabIndex={-1} data-stop>
          {title}
        </h2>
        {side}
      </div>
      {children}
    </section>
  );
}
