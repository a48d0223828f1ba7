"""Pictures of positions: SVG for pages and notebooks, GIF for whole games."""
