/** Data of the server; what is wrong is one sentence. */
export async function fetched<Data>(address: string): Promise<Data> {
  const answer = await fetch(address);
  const data = (await answer.json()) as Data & { error?: string };
  if (!answer.ok) throw new Error(data.error ?? answer.statusText);
  return data;
}
