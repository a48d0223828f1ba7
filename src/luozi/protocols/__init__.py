"""What a line of a protocol means, read and written; the servers that speak them are beside it."""
