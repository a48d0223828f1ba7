/** The play view. */
import { say } from "../words";

export default function Play() {
  return <h1>{say("play")}</h1>;
}
