"""Exports of other programs as JSON: Elasticsearch, Slack, Mastodon and Telegram, recognised by their shape."""
