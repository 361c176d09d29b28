"""HTTP: the checks of every request, the routes of the API, server-sent events, and the page."""
