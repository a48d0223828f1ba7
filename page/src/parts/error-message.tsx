/** What went wrong, where the person acted: it stays until they act again, and a screen reader says it. */
import { useEffect, useRef } from "preact/hooks";
import { cut } from "../state/store";
import { sayTrouble, type Sentence } from "../state/told";
import { forgive, offerPlace, strayTrouble, trouble, type Where } from "../state/errors";
import { say } from "../messages";

export function Refusal({ at }: { at: Where }) {
  useEffect(() => offerPlace(at), [at]);
  const found = trouble.value?.where === at ? trouble.value : null;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (found) place.current?.scrollIntoView({ block: "nearest" });
  }, [found]);
  return (
    <div class="refusal" role="alert" ref={place}>
      {found && <Told sentence={found.sentence} />}
    </div>
  );
}

/** The same below everything, for what has no place on this view. */
export function StrayRefusal() {
  return (
    <div class="complaint" role="alert">
      {strayTrouble.value && <Told sentence={strayTrouble.value.sentence} />}
    </div>
  );
}

/** Why nothing can be asked at the moment. */
export function Unconnected() {
  return cut.value ? (
    <p class="notice warn" role="status">
      {say("The connection is lost; trying again …")}
    </p>
  ) : null;
}

function Told({ sentence }: { sentence: Sentence }) {
  return (
    <p class="notice warn">
      {sayTrouble(sentence)}
      <button type="button" class="quiet icon" aria-label={say("Close")} onClick={() => forgive()}>
        ×
      </button>
    </p>
  );
}
