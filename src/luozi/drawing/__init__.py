"""Pictures of positions: SVG for pages and notebooks."""
