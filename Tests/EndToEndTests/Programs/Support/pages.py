"""A web server of a test's own on this machine: its handlers answer, and say nothing of it."""

import http.server
import threading


class Server(http.server.ThreadingHTTPServer):
    """Serves from its making on; facts become its attributes, where handlers find them."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler, port=0, **facts):
        super().__init__(("127.0.0.1", port), handler)
        self.port = self.server_address[1]
        self.__dict__.update(facts)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Who went away in between is none of ours."""

    def url(self, path="/", host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        """What a request brings."""
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command != "HEAD" else b"")
