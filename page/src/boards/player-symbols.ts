/** Each player's sign, as a path in a circle of radius 1: shapes that differ without colour. */
export const SIGNS = [
  "M-.72-.94 0-.22.72-.94.94-.72.22 0 .94.72.72.94 0 .22-.72.94-.94.72-.22 0-.94-.72Z", // a cross
  "M0-.95A.95.95 0 1 1 0 .95.95.95 0 1 1 0-.95ZM0-.5A.5.5 0 1 0 0 .5.5.5 0 1 0 0-.5Z", // a ring
  "M0-.98.9.62-.9.62Z", // a triangle
  "M-.76-.76H.76V.76H-.76Z", // a square
  "M0-1 .78 0 0 1-.78 0Z", // a diamond
  "M0-1 .25-.34.95-.31.4.13.59.81 0 .42-.59.81-.4.13-.95-.31-.25-.34Z", // a star
  "M-.25-.9H.25V-.25H.9V.25H.25V.9H-.25V.25H-.9V-.25H-.25Z", // a plus
  "M0 .98.9-.62-.9-.62Z", // a triangle on its tip
  "M0-.95.82-.47V.47L0 .95-.82.47V-.47Z", // a hexagon
];

/** Pieces that are more than stones. */
export const FIGURES: Record<string, string> = {
  queen: "M-.8-.45-.42.1-.3-.65 0 .02.3-.65.42.1.8-.45.55.55H-.55ZM-.58.66H.58V.82H-.58Z",
  king: "M-.1-.9H.1V-.7H.28V-.52H.1V-.3C.5-.55.85-.2.7.15L.52.55H-.52L-.7.15C-.85-.2-.5-.55-.1-.3V-.52H-.28V-.7H-.1ZM-.58.66H.58V.82H-.58Z",
  pawn: "M0-.8A.3.3 0 1 1 0-.2.3.3 0 1 1 0-.8ZM-.3-.14H.3L.42.55H-.42ZM-.52.62H.52V.82H-.52Z",
  rook: "M-.55-.75H-.3V-.55H-.13V-.75H.13V-.55H.3V-.75H.55V-.3H.38L.45.55H-.45L-.38-.3H-.55ZM-.58.66H.58V.82H-.58Z",
};
FIGURES["man"] = FIGURES["pawn"]!;

export function signOf(player: number): string {
  return SIGNS[player % SIGNS.length] ?? SIGNS[0]!;
}
