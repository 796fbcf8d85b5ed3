"""nginx and haproxy as oblivious relays before the shipped proxy of a daemon, by the configurations that are shipped."""

import os
import re
import tempfile

import daemon
import stock_proxies

NAME = "relay.example.net"


class Relay(stock_proxies.Proxy):
    """One of them, on a free port, before a port that shows a certificate for the daemon's name."""

    name = NAME

    def __init__(self, kind, upstream, authority, evaluator=8090):
        self.kind, self.folder = kind, tempfile.mkdtemp(prefix=f"throng-relay-{kind}-")
        self.port = daemon.free_ports(1)[0]
        cert, key, both = stock_proxies.certificate(self.folder, NAME)
        shipped = {"nginx": "relay.nginx.conf", "haproxy": "relay.haproxy.cfg"}[kind]
        with open(os.path.join(stock_proxies.SHIPPED, shipped)) as file:
            text = file.read()
        text = text.replace("/etc/ssl/certs/ca-certificates.crt", authority)
        server = re.compile(r"(server (?:throng )?)count\.example\.com:443")
        daemon.check(len(server.findall(text)) == 1, kind, "leads somewhere else")
        text = server.sub(rf"\g<1>127.0.0.1:{upstream}", text)
        daemon.check(text.count("127.0.0.1:8090") == 1, kind, "leads to another evaluator")
        text = text.replace("127.0.0.1:8090", f"127.0.0.1:{evaluator}")
        if kind == "nginx":
            text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{self.port} ssl;")
            text = text.replace("    listen [::]:443 ssl;\n", "")
            text = re.sub(r"ssl_certificate \S+;", f"ssl_certificate {cert};", text)
            text = re.sub(r"ssl_certificate_key \S+;", f"ssl_certificate_key {key};", text)
            text = text.replace("/var/cache/nginx/throng-keys", self.folder + "/keys")
            # What works for nginx is another user's.
            os.chmod(self.folder, 0o711)
            text = text.replace("rate=50r/s", "rate=100000r/s").replace("burst=200", "burst=100000")
            folders = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            text = f"""
                daemon off; pid {self.folder}/pid; worker_processes 2; error_log /dev/null crit;
                events {{ worker_connections 1000; }}
                http {{ {"".join(f"{each}_temp_path {self.folder}/{each}; " for each in folders)}
                {text} }}"""
        else:
            text = text.replace("bind :443", f"bind 127.0.0.1:{self.port}").replace("gt 500", "gt 5000000")
            text = text.replace("/etc/haproxy/relay.example.net.pem", both)
        path = os.path.join(self.folder, "relay.conf")
        with open(path, "w") as file:
            file.write(text)
        self.run(path)
