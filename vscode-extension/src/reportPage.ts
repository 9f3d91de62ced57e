// The page of the report view. It holds no text of the report: all of that comes by message and is
// set as text.

export interface PageParts {
  readonly nonce: string;
  readonly cspSource: string;
  readonly script: string;
  readonly style: string;
}

export function policy({ nonce, cspSource }: Pick<PageParts, "nonce" | "cspSource">): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

export function reportPage(parts: PageParts): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy(parts)}">
<link rel="stylesheet" href="${parts.style}">
<title>Report</title>
</head>
<body>
<main id="report" aria-busy="true"></main>
<div id="said" class="unseen" role="status" aria-live="polite"></div>
<script nonce="${parts.nonce}" src="${parts.script}"></script>
</body>
</html>
`;
}
