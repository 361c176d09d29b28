"""HTTP: the gate before every request, the addresses of the API, server-sent events, and the page."""
