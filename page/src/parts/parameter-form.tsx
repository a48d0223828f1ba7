/** The parameters of a game as a form, generated from what the server says of them. */
import { PARAMETERS } from "../state/names";
import { useId } from "preact/hooks";
import type { Parameter } from "../protocol";
import { valueTitle } from "../state/format";
import { allowed, usual } from "../state/catalog";
import { called, say, sayIfKnown } from "../messages";

interface ParameterFormProps {
  parameters: Parameter[];
  values: Record<string, string>;
  onValue: (name: string, value: string) => void;
}

export function ParameterForm({ parameters, values, onValue }: ParameterFormProps) {
  return (
    <div class="parameters">
      {parameters.map((each) => (
        <Field parameter={each} value={values[each.name] ?? usual(each)} onValue={(value) => onValue(each.name, value)} />
      ))}
    </div>
  );
}

function Field({ parameter, value, onValue }: { parameter: Parameter; value: string; onValue: (value: string) => void }) {
  const id = useId();
  const { name, kind, low, high, choices } = parameter;
  const title = called(PARAMETERS, name, name.replaceAll("_", " "));
  const meaning = sayIfKnown(parameter.meaning);
  if (kind === "bool")
    return (
      <label class="field check" title={meaning}>
        <input type="checkbox" checked={value === "true"} onChange={(event) => onValue(String(event.currentTarget.checked))} />
        <span>{title}</span>
      </label>
    );
  const wrong = !allowed(parameter, value);
  const range = low !== null && high !== null ? say("{low} to {high}", { low, high }) : "";
  return (
    <div class="field" title={meaning}>
      <label for={id}>{title}</label>
      {choices.length > 0 ? (
        <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {choices.map((each) => (
            <option value={each}>{valueTitle(each)}</option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          value={value}
          inputMode={kind === "int" ? "numeric" : kind === "float" ? "decimal" : "text"}
          aria-invalid={wrong}
          aria-describedby={wrong ? `${id}range` : undefined}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
      {wrong && (
        <small id={`${id}range`} class="bad">
          {range}
        </small>
      )}
    </div>
  );
}
