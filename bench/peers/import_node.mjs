// The import as a typical program with Node's own HTTP client. Prints the number of added rows and the seconds.
import http from "node:http";
import { readFileSync } from "node:fs";

const [path, address, inFlight] = process.argv.slice(2);

function* rows(text) {
  let fields = [], field = "", quoted = false;
  for (let index = 0; index < text.length; index++) {
    const c = text[index];
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[index + 1] === '"') { field += '"'; index++; }
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ",") { fields.push(field); field = ""; }
    else if (c === "\n") { fields.push(field); yield fields; fields = []; field = ""; }
    else if (c !== "\r") field += c;
  }
}

const agent = new http.Agent({ keepAlive: true, maxSockets: Number(inFlight) });
const url = new URL(address);
const authorization = "Bearer " + "x".repeat(800);

function post(text) {
  const body = new URLSearchParams({ Text: text }).toString();
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      {
        agent, method: "POST",
        headers: {
          "Content-Type": "application/x-www-form-urlencoded", "Content-Length": Buffer.byteLength(body),
          Accept: "application/json", Authorization: authorization,
        },
      },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () => { JSON.parse(Buffer.concat(chunks)); resolve(response.statusCode); });
        response.on("error", reject);
      });
    request.on("error", reject);
    request.end(body);
  });
}

const start = performance.now();
const source = rows(readFileSync(path, "utf8"));
source.next();
let added = 0;
await Promise.all(Array.from({ length: Number(inFlight) }, async () => {
  for (let row = source.next(); !row.done; row = source.next()) {
    if ((await post(row.value[0])) !== 201) throw new Error("a row failed");
    added++;
  }
}));
console.log(added, (performance.now() - start) / 1000);
agent.destroy();
