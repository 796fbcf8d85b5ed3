"""Debian's exim in a folder of its own: it takes mails over STARTTLS from who knows the password, and keeps them there."""

import atexit
import email
import email.policy
import glob
import os
import shutil
import subprocess

import daemon

PASSWORD = "opensesame"
CONFIGURATION = """
exim_path = {program}
spool_directory = {folder}/spool
log_file_path = {folder}/%slog
pid_file_path = {folder}/pid
primary_hostname = mail.press.example
local_interfaces = 127.0.0.1
daemon_smtp_ports = {port}
tls_advertise_hosts = *
tls_certificate = {folder}/mail.crt
tls_privatekey = {folder}/mail.key
acl_smtp_rcpt = recipient
acl_smtp_data = anything
deliver_drop_privilege = true
keep_environment =
disable_ipv6
host_lookup =
begin acl
recipient:
  require authenticated = *
  deny message = no such user $local_part@$domain
       local_parts = gone
  accept
anything:
  accept
begin routers
all:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  directory = {folder}/box
  create_directory
  maildir_format
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_advertise_condition = ${{if def:tls_in_cipher}}
  server_prompts = :
  server_condition = ${{if and{{{{eq{{$auth2}}{{throng}}}}{{eq{{$auth3}}{{{password}}}}}}}}}
"""


class Exim:
    """Serves at `port`, with a certificate for 0.0.0.0: this machine by a name that Throng does not take for itself."""

    def __init__(self, folder):
        program = shutil.which("exim4", path=os.environ["PATH"] + ":/usr/sbin")
        daemon.check(program, "there is no exim4: apt install exim4-daemon-light")
        self.folder = os.path.join(folder, "mail")
        self.port, = daemon.free_ports(1)
        os.mkdir(self.folder)
        daemon.ran("openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=mail", "-addext", "subjectAltName=IP:0.0.0.0",
                   "-keyout", "mail.key", "-x509", "-CA", os.path.join(folder, "authority.crt"), "-CAkey",
                   os.path.join(folder, "authority.key"), "-out", "mail.crt", cwd=self.folder)
        configuration = daemon.write(os.path.join(self.folder, "exim.conf"), CONFIGURATION.format(
            program=program, folder=self.folder, port=self.port, password=PASSWORD), 0o644)
        if os.getuid() == 0:
            # It gives root's rights up; its configuration has to be root's.
            daemon.ran("chown", "-R", "Debian-exim:", self.folder)
            daemon.ran("chown", "root:root", configuration)
        process = subprocess.Popen([program, "-C", configuration, "-bdf", "-q1m"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(daemon.end, process, 10)
        daemon.until(lambda: os.path.exists(os.path.join(self.folder, "pid")), "exim does not start:", self.log)

    def log(self):
        return "".join(daemon.read(path) for path in glob.glob(os.path.join(self.folder, "*log")))

    def mails(self):
        return [email.message_from_bytes(daemon.read_bytes(path), policy=email.policy.default)
                for path in glob.glob(os.path.join(self.folder, "box", "new", "*"))]
