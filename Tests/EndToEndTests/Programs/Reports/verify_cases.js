// What the page that checks reports says of files: genuine, changed, of another key or another time, or unknown. It runs in the
// page, with the keys that signed a report and the report's files, and returns what the page says otherwise than expected.
const [keys, contents] = arguments;
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const files = Object.entries(contents).map(([name, text]) => new File([bytes(text)], name));
const one = (ending) => files.find(({ name }) => name.endsWith(ending));
const but = (...left) => files.filter((file) => !left.includes(file));
const kinds = ["Genuine", "was changed", "another key than yours", "not in use", "no signature here"];

const said = async (key, chosen) => {
  const [input, list, transfer] = [document.getElementById("files"), document.getElementById("findings"), new DataTransfer()];
  document.getElementById("key").value = key;
  list.replaceChildren();
  for (const file of chosen) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change"));
  while (!list.children.length) await new Promise((done) => setTimeout(done, 20));
  return kinds.map((kind) => [...list.children].filter(({ textContent }) => textContent.includes(kind)).length);
};
const changed = async (file, old, other) => new File([(await file.text()).replace(old, other)], file.name);
const pem = async ({ publicKey }) => {
  const key = String.fromCharCode(...new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)));
  return `-----BEGIN PUBLIC KEY-----\n${btoa(key)}\n-----END PUBLIC KEY-----\n`;
};

return (async () => {
  const [manifest, sheet, signature] = [one(".manifest.json"), one(".csv"), one(".manifest.sig")];
  const [entry, many] = [JSON.parse(keys).keys[0], files.length - 1];
  const past = JSON.stringify({ format: "throng-keys/1", keys: [{ ...entry, from: "2001-01-01T00:00:00Z", until: "2002-01-01T00:00:00Z" }] });
  const renamed = new File([await sheet.arrayBuffer()], "download (1).csv");
  const cases = [
    ["all that was signed", keys, files, [many, 0, 0, 0, 0]],
    ["the same by a PEM", entry.public_key, files, [many, 0, 0, 0, 0]],
    ["a file of another name", keys, [...but(sheet), renamed], [many, 0, 0, 0, 0]],
    ["a file with one sign changed", keys, [...but(sheet), await changed(sheet, ",", ";")], [many - 1, 1, 0, 0, 0]],
    ["a manifest with one word changed", keys, [...but(manifest), await changed(manifest, '"partner"', '"Partner"')], [0, 1, 0, 0, many - 1]],
    ["a changed signature", keys, [...but(signature), new File([new Uint8Array(64)], signature.name)], [0, 1, 0, 0, many - 1]],
    ["another key", await pem(await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])), files, [0, 0, 1, 0, many - 1]],
    ["a key that was not in use", past, files, [0, 0, 0, 1, many - 1]],
    ["no manifest", keys, [sheet, signature], [0, 0, 0, 0, 1]],
    ["no key", "", files, [0, 0, 1, 0, many - 1]],
  ];
  const wrong = [];
  for (const [name, key, chosen, expected] of cases) {
    const found = await said(key, chosen);
    if (found.join() != expected.join()) wrong.push(`${name}: ${found}, not ${expected}`);
  }
  return wrong;
})();
