/** A proxy through which documents come in pieces, as over a slow line: what is painted half may not move later. */
import { createServer, request } from "node:http";

/** Starts the proxy: a piece of every document ends after each match of `ends`, and the next comes `pauseMs` later. */
export async function startSlowLine(ends, pauseMs) {
  const server = createServer((incoming, outgoing) => {
    const { "accept-encoding": _, ...headers } = incoming.headers;
    const forwarded = request(incoming.url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      if (!answer.headers["content-type"]?.startsWith("text/html")) answer.pipe(outgoing);
      else void sendInPieces(answer, outgoing, ends, pauseMs);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    /** What Playwright's contexts take as `proxy`. Chromium goes round proxies for loopback unless it is asked not to. */
    proxy: { server: `http://127.0.0.1:${server.address().port}`, bypass: "<-loopback>" },
    end: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function sendInPieces(answer, outgoing, ends, pauseMs) {
  const text = Buffer.concat(await answer.toArray()).toString("utf8");
  let sent = 0;
  for (const { index, 0: end } of text.matchAll(ends)) {
    outgoing.write(text.slice(sent, index + end.length));
    sent = index + end.length;
    await new Promise((resume) => setTimeout(resume, pauseMs));
  }
  outgoing.end(text.slice(sent));
}
