"""Access control: hosts, origins, tokens, rights, cookies, proxies, rates."""

import pytest

from driftline.service.store.tokens import add_token, remove_tokens
from driftline.service.web.gate import Proxy
from tests.service.running import ADDRESS, TOKEN, served

SECRET = "a secret of the proxy"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    proxy = Proxy(("testclient",), SECRET)
    with served(tmp_path_factory.mktemp("live") / "store", proxy=proxy) as client:
        yield client


def ask(client, method="GET", path="/api/session", *, token=None, **headers):
    client.cookies.clear()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named["Authorization"] = f"Bearer {token}" if token else ""
    return client.request(method, path, headers=named)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", ""])
def test_another_host_is_refused(client, host):
    assert ask(client, token=TOKEN, Host=host).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "LOCALHOST"])
def test_own_hosts(client, host):
    assert ask(client, token=TOKEN, Host=host).status_code == 200


def test_another_origin_is_refused(client):
    assert ask(client, token=TOKEN, Origin="http://evil.example").status_code == 403
    assert ask(client, token=TOKEN, Origin="null").status_code == 403
    assert ask(client, token=TOKEN, Origin=ADDRESS).status_code == 200


def test_another_site_is_refused_but_may_link_to_the_page(client):
    assert ask(client, token=TOKEN, Sec_Fetch_Site="cross-site").status_code == 403
    assert ask(client, token=TOKEN, Sec_Fetch_Site="same-site").status_code == 403
    assert ask(client, token=TOKEN, Sec_Fetch_Site="same-origin").status_code == 200
    assert ask(client, path="/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status_code == 200
    assert ask(client, path="/main.js", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status_code == 403


@pytest.mark.parametrize("path", ["/api/overview", "/api/events", "/metrics", "/api/openapi.json", "/api/nothing"])
def test_nothing_without_a_token(client, path):
    found = ask(client, path=path)
    assert found.status_code == 401
    assert found.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/api/overview", "/api/nothing", "/api/openapi.json", "/metrics", "/healthz", "/"])
def test_head_is_get_without_the_body(client, path):
    asked, told = (ask(client, method, path, token=TOKEN) for method in ("GET", "HEAD"))
    assert told.status_code == asked.status_code
    assert told.headers["Content-Type"] == asked.headers["Content-Type"]
    assert asked.content
    assert not told.content


def test_head_of_the_events_ends(client):
    found = ask(client, "HEAD", "/api/events", token=TOKEN)
    assert found.status_code == 200
    assert found.headers["Content-Type"].startswith("text/event-stream")


def test_head_needs_a_token_and_the_right(client):
    token = client.service.queue.call(lambda writer: add_token(writer.database, "head", "send")).result()
    assert ask(client, "HEAD", "/api/overview").status_code == 401
    assert ask(client, "HEAD", "/api/overview", token=token).status_code == 403


def test_the_page_and_health_need_no_token(client):
    for path in ("/", "/healthz", "/readyz"):
        assert ask(client, path=path).status_code == 200


@pytest.mark.parametrize(
    "rights, method, path, status",
    [
        ("read", "GET", "/api/overview", 200),
        ("read", "POST", "/api/documents", 403),
        ("send", "POST", "/api/documents", 200),
        ("send", "GET", "/api/overview", 403),
        ("read", "GET", "/api/suggestions", 403),
        ("read,label", "GET", "/api/suggestions", 200),
        ("read,label", "POST", "/api/topics/0", 403),
        ("read,label", "DELETE", "/api/documents/1", 403),
    ],
)
def test_rights(client, rights, method, path, status):
    name = f"{rights}-{method}-{path}"
    token = client.service.queue.call(lambda writer: add_token(writer.database, name, rights)).result()
    assert ask(client, method, path, token=token).status_code == status


def test_a_removed_token_ends_at_once(client, monkeypatch):
    queue = client.service.queue
    token = queue.call(lambda writer: add_token(writer.database, "leaving", "read")).result()
    assert ask(client, token=token).status_code == 200
    queue.call(lambda writer: remove_tokens(writer.database, "leaving")).result()
    client.service.tokens._read = -10.0
    assert ask(client, token=token).status_code == 401


def sign_in(client, token, origin=ADDRESS):
    client.cookies.clear()
    headers = {"Authorization": "", "Origin": origin} if origin else {"Authorization": ""}
    return client.post("/api/session", json={"token": token}, headers=headers)


def test_a_token_is_traded_for_a_cookie(client):
    found = sign_in(client, TOKEN)
    cookie = found.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    headers = {"Authorization": ""}
    assert client.get("/api/session", headers=headers).json()["name"] == "console"
    # A change with a cookie needs an origin and JSON
    assert client.post("/api/topics/0", json={"name": "x"}, headers=headers).status_code == 403
    with_origin = {**headers, "Origin": ADDRESS}
    assert client.post("/api/topics/0", json={"name": "x"}, headers=with_origin).status_code == 404
    form = {**with_origin, "Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/api/topics/0", content=b"name=x", headers=form).status_code == 415
    client.cookies.clear()
    forged = {"Authorization": "", "Cookie": cookie.split(";")[0] + "x"}
    assert client.get("/api/session", headers=forged).status_code == 401


def test_signing_out(client):
    sign_in(client, TOKEN)
    found = client.request("DELETE", "/api/session", json={}, headers={"Authorization": "", "Origin": ADDRESS})
    assert found.status_code == 200
    assert client.get("/api/session", headers={"Authorization": ""}).status_code == 401


def test_the_trusted_proxy_names_people(client):
    named = {"X_Forwarded_User": "ann"}
    assert ask(client, **named).status_code == 401
    assert ask(client, **named, X_Driftline_Proxy_Secret="wrong").status_code == 401
    found = ask(client, **named, X_Driftline_Proxy_Secret=SECRET)
    assert found.json()["name"] == "ann"
    assert found.json()["rights"] == ["read", "label"]


def test_another_address_is_not_the_proxy(tmp_path):
    with served(tmp_path / "store", proxy=Proxy(("10.0.0.9",), SECRET)) as client:
        assert ask(client, X_Forwarded_User="ann", X_Driftline_Proxy_Secret=SECRET).status_code == 401


def test_wrong_tokens_and_rates_are_limited(tmp_path):
    with served(tmp_path / "store") as client:
        found = [ask(client, token=f"wrong-{k}").status_code for k in range(25)]
        assert found[0] == 401
        assert found[-1] == 429
        assert ask(client, token=TOKEN).status_code == 429  # a correct guess is not revealed
    with served(tmp_path / "right") as client:
        assert ask(client, token=TOKEN).status_code == 200
        assert [ask(client, token=f"wrong-{k}").status_code for k in range(25)][-1] == 429
        assert ask(client, token=TOKEN).status_code == 200  # accepted before: wrong tokens do not block it
    with served(tmp_path / "other") as client:
        client.service.limits.rate, client.service.limits.burst = 0.0, 3.0
        assert [ask(client, token=TOKEN).status_code for _ in range(5)] == [200, 200, 200, 429, 429]


def test_headers_of_every_answer(client):
    for found in (ask(client, path="/"), ask(client, path="/api/overview"), ask(client, token=TOKEN)):
        assert "default-src 'none'" in found.headers["Content-Security-Policy"]
        assert found.headers["X-Content-Type-Options"] == "nosniff"
        assert found.headers["Referrer-Policy"] == "no-referrer"


def test_cookies_of_other_programs_and_other_ports_do_no_harm(client):
    client.cookies.clear()
    found = client.post("/api/session", json={"token": TOKEN}, headers={"Authorization": "", "Origin": ADDRESS})
    name, _, value = found.headers["set-cookie"].partition(";")[0].partition("=")
    assert name == "driftline_session_8765"
    for cookies, status in (
        (f'theirs={{"a": "b c"}}; {name}={value}', 200),
        (f"driftline_session_9999=x.y.z; {name}={value}; odd", 200),
        (f"driftline_session_9999={value}", 401),
    ):
        client.cookies.clear()
        assert client.get("/api/session", headers={"Authorization": "", "Cookie": cookies}).status_code == status


def test_a_long_body_is_refused_before_it_is_read(client):
    def endless():
        for _ in range(100):
            yield b" " * 10_000

    client.cookies.clear()
    own = {"Authorization": "", "Origin": ADDRESS, "Content-Type": "application/json"}
    assert client.post("/api/session", content=b" " * 100_000, headers=own).status_code == 413
    assert client.post("/api/session", content=endless(), headers=own).status_code == 413
    deep = b'{"token": ' + b"[" * 30_000 + b"]" * 30_000 + b"}"
    assert client.post("/api/session", content=deep, headers=own).status_code in (400, 422)


def test_the_gate_does_not_wait_for_long_questions(client):
    readers = client.service.readers
    held = [readers._free.get() for _ in readers._all]
    try:
        assert ask(client, path="/api/settings", token=TOKEN).status_code == 200
    finally:
        for database in held:
            readers._free.put(database)
