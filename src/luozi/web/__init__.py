"""The page's server: games between people and programs, over one WebSocket.

`requests` and `answers` declare the messages. `session` is one game under way, `sessions` all of them; `handlers` and
`analysis_views` have the function for each type of request. `socket`, `data_routes` and `app` bring them to the
network.
"""
