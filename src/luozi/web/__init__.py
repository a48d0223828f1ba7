"""The page's server: tables at which people and programs play, over one WebSocket.

Read `messages` (what may be said), `table` (one game under way) and `hall` (all of them), then `socket`, `pages` and
`app`, which bring them to the network.
"""
