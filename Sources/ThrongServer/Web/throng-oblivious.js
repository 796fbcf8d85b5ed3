// throng-oblivious.js: seals requests of throng.js for purposes that use a relay (RFC 9458, RFC 9292, RFC 9180), so
// that the daemon sees no address. It is loaded only if the plan asks for it. There is no other way: a request that
// can't be sealed, or gets no answer that the daemon sealed, is an error, and throng.js tries again later.
//
// It needs P-256, HMAC-SHA-256, AES-128-GCM and Ed25519 of WebCrypto. The daemon serves it with its gateway's lasting
// key in the place of GATEWAY: that key signs the keys of the day, which come from the relay and are the same for
// everybody.
const { subtle } = crypto;
const curve = { name: "ECDH", namedCurve: "P-256" };
const hash = { name: "HMAC", hash: "SHA-256" };
const plain = { credentials: "omit", referrerPolicy: "no-referrer" };
// Bytes one behind the other, texts as UTF-8.
const join = (...parts) =>
  Uint8Array.from(parts.flatMap((part) => [...(typeof part == "string" ? new TextEncoder().encode(part) : new Uint8Array(part))]));
const decoded = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt());
const imported = (key, algorithm, use) => subtle.importKey("raw", key, algorithm, false, use);
const mac = async (key, ...parts) => subtle.sign("HMAC", await imported(key, hash, ["sign"]), join(...parts));

// A number as QUIC writes it, in four bytes, before so many bytes.
const prefixed = (part) => join([128, part.length >> 16, part.length >> 8, part.length], part);

// The relay's key of the day for P-256, with its number before it.
let known;
const keyOf = async (relay) => {
  const answer = await fetch(relay + "/v1/ohttp-keys", plain);
  const list = join(await answer.arrayBuffer());
  const signer = await imported(decoded("GATEWAY"), "Ed25519", ["verify"]);
  const signature = decoded(answer.headers.get("throng-signature"));
  if (!(await subtle.verify("Ed25519", signer, signature, join("throng ohttp-keys\0", list)))) throw relay;
  let place = 0;
  while (list[place + 4] != 16) place += 2 + list[place] * 256 + list[place + 1];
  return list.slice(place + 2, place + 70);
};

const exchange = async (relay, path, body) => {
  known ||= await keyOf(relay);
  const message = join(
    [0], ...["POST", "https", "", "/" + path].map(prefixed), [0], prefixed(join(body)), [0]);
  let size = 1024;
  while (size < message.length) size *= 4;

  // RFC 9180, sections 4.1 and 5.1, with a key of this request's own. Nothing is longer than one block of the hash.
  const theirs = known.slice(3), header = join(known.slice(0, 3), [0, 1, 0, 1]);
  const own = await subtle.generateKey(curve, false, ["deriveBits"]);
  const shown = join(await subtle.exportKey("raw", own.publicKey));
  const agreed = await subtle.deriveBits({ name: "ECDH", public: await imported(theirs, curve, []) }, own.privateKey, 256);
  let suite = join("KEM", [0, 16]);
  const extract = (salt, label, input) => mac(salt, "HPKE-v1", suite, label, input);
  const expand = async (key, label, context, length) =>
    (await mac(key, [0, length], "HPKE-v1", suite, label, context, [1])).slice(0, length);
  const empty = new Uint8Array(32);
  const shared = await expand(await extract(empty, "eae_prk", agreed), "shared_secret", join(shown, theirs), 32);
  suite = join("HPKE", header.slice(1));
  const context = join(
    [0], await extract(empty, "psk_id_hash", []), await extract(empty, "info_hash", join("message/bhttp request\0", header)));
  const secret = await extract(shared, "secret", []);
  const box = async (key, nonce, use, bytes) =>
    subtle[use]({ name: "AES-GCM", iv: await nonce }, await imported(await key, "AES-GCM", [use]), bytes);
  const sealed = await box(
    expand(secret, "key", context, 16), expand(secret, "base_nonce", context, 12), "encrypt",
    join(message, new Uint8Array(size - message.length)));
  const answer = await fetch(relay + "/v1/ohttp", {
    ...plain, method: "POST", headers: { "content-type": "message/ohttp-req" }, body: join(header, shown, sealed), keepalive: true,
  });
  // Another key by now, perhaps.
  if (answer.status == 400) return (known = 0);

  // RFC 9458, section 4.4.
  const bytes = join(await answer.arrayBuffer());
  const exported = await expand(await expand(secret, "exp", context, 32), "sec", "message/bhttp response", 16);
  const pseudo = await mac(join(shown, bytes.slice(0, 16)), exported);
  const part = async (label, length) => (await mac(pseudo, label, [1])).slice(0, length);
  const opened = join(await box(part("key", 16), part("nonce", 12), "decrypt", bytes.slice(16)));
  // The framing is followed by a status, fields, and the content, each but the first with its length before it.
  let place = 1;
  const next = () => {
    let value = opened[place] & 63;
    for (let more = (1 << (opened[place] >> 6)) - 1; more--; ) value = value * 256 + opened[++place];
    place++;
    return value;
  };
  const text = (length) => new TextDecoder().decode(opened.slice(place, (place += length)));
  const status = next(), headers = [], end = next() + place;
  while (place < end) headers.push([text(next()), text(next())]);
  return new Response(text(next()), { status, headers });
};

// Posts a text to a path of the daemon through a relay; with another key once more, where it had one for a while.
export default async (relay, path, body) => {
  const old = known;
  return (await exchange(relay, path, body)) || (old && (await exchange(relay, path, body))) || Promise.reject(relay);
};
