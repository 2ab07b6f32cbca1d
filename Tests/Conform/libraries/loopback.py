"""Opens an address in the browser, and waits for the answer at the redirect URI."""

import http.server
import urllib.parse
import webbrowser


def answer(redirect_uri, url):
    """The whole address of the answer."""
    address = urllib.parse.urlsplit(redirect_uri)
    answers = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if urllib.parse.urlsplit(self.path).path == address.path:
                answers.append(f"{address.scheme}://{address.netloc}{self.path}")
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer((address.hostname, address.port), Handler)
    webbrowser.open(url)
    while not answers:
        server.handle_request()
    return answers[0]
