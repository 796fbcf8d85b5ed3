"""What schemathesis loads: bodies of Oblivious HTTP are bytes, and go out as they are."""

import schemathesis


@schemathesis.serializer("message/ohttp-req")
def as_they_are(_, value):
    return value if isinstance(value, bytes) else str(value).encode()
