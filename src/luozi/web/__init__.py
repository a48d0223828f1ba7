"""The page's server: games between people and programs, over one WebSocket for each page.

`requests` and `answers` declare the messages. `session` is one game under way, `sessions` all of them; `handlers` has
the function for each type of request. `socket`, `data_routes` and `app` connect them to the network.
"""
