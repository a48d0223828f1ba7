import { OFFLINE, type Sentence, ServerError } from "../socket";

/** Data of the server; what is wrong is thrown as its one sentence. */
export async function fetched<Data>(address: string): Promise<Data> {
  return parsed<Data>(await fetchedText(address));
}

/** The same of a page as text. */
export async function fetchedText(address: string): Promise<string> {
  const answer = await fetch(address).catch(() => {
    throw new ServerError(OFFLINE); // what a browser says of it is not for people
  });
  const text = await answer.text();
  if (!answer.ok) throw new ServerError(refusalIn(text));
  return text;
}

function refusalIn(text: string): Sentence {
  const { told, error } = parsed<{ told?: Sentence; error?: string }>(text);
  return told ?? error ?? OFFLINE;
}

function parsed<Data>(text: string): Data {
  try {
    return JSON.parse(text) as Data;
  } catch {
    throw new ServerError(OFFLINE); // something between answers in the server's place
  }
}
