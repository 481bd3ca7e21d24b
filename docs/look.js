// What docs/look.py asks of a page that a browser shows: an expression whose value tells its faults, links and anchors.
(() => {
  const faults = [];
  const content = document.querySelector(".md-content") || document.body;
  const short = (text) => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 60));

  for (const image of document.images) {
    if (image.complete && image.naturalWidth === 0) faults.push(`the picture ${image.getAttribute("src")} is not there`);
  }

  for (const table of content.querySelectorAll("table")) {
    const cells = [...table.querySelectorAll("th, td")].map((cell) => getComputedStyle(cell));
    const padded = cells.every((style) => parseFloat(style.paddingLeft) >= 4 && parseFloat(style.paddingTop) >= 4);
    const ruled = [getComputedStyle(table), ...cells].some((style) => parseFloat(style.borderTopWidth) > 0);
    if (!padded || !ruled) faults.push(`a table has no style: ${short(table.textContent)}`);
  }
  for (const code of content.querySelectorAll("td code")) {
    if (code.textContent.includes("\\|")) faults.push(`a bar in a table has a backslash: ${short(code.textContent)}`);
  }
  for (const code of content.querySelectorAll("table:not([class]) td code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      for (const word of text.data.matchAll(/[A-Za-z0-9]+/g)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (lines.size > 1) faults.push(`a word of a name is broken: ${short(code.textContent)}`);
      }
    }
  }
  for (const paragraph of content.querySelectorAll("p")) {
    if (/^\|.*\|\s*-{3,}/s.test(paragraph.textContent)) faults.push(`a table stayed text: ${short(paragraph.textContent)}`);
  }

  const children = { mfrac: 2, mover: 2, mroot: 2, msub: 2, msubsup: 3, msup: 2, munder: 2, munderover: 3 };
  for (const formula of content.querySelectorAll("math")) {
    const { width, height } = formula.getBoundingClientRect();
    const torn = [...formula.querySelectorAll("*")].some((part) => {
      const wanted = children[part.localName];
      return part.localName === "merror" || (wanted !== undefined && part.childElementCount !== wanted);
    });
    if (torn || width < 4 || height < 8) faults.push(`a formula is not drawn: ${short(formula.textContent)}`);
    const font = getComputedStyle(formula).fontFamily.split(",")[0];
    if (![...document.fonts].some((face) => face.family === font && face.status === "loaded")) {
      faults.push(`the font ${font} of a formula is not there: ${short(formula.textContent)}`);
    }
  }
  for (const block of content.querySelectorAll("pre, p")) {
    const latex = /\\(t?frac|sum|min|max|begin|top|alpha|theta|quad)(?![a-zA-Z])/.exec(block.textContent);
    if (latex) faults.push(`a formula stayed LaTeX: ${short(block.textContent.slice(latex.index))}`);
  }

  const scrolls = (part) => /auto|scroll/.test(getComputedStyle(part).overflowX);
  const wide = [...content.querySelectorAll("*")].find((part) => {
    if (part.getBoundingClientRect().right <= innerWidth + 1 || part.getClientRects().length === 0) return false;
    for (let around = part.parentElement; around && around !== content; around = around.parentElement) {
      if (scrolls(around)) return false;
    }
    return !scrolls(part) || part.getBoundingClientRect().left >= innerWidth;
  });
  if (wide || document.documentElement.scrollWidth > innerWidth) {
    const what = wide ? `<${wide.localName}> ${short(wide.textContent)}` : "something outside of the text";
    faults.push(`wider than ${innerWidth} pixels: ${what}`);
  }

  const links = [...document.querySelectorAll("a[href]")].map((link) => link.href);
  const anchors = [...document.querySelectorAll("[id], a[name]")].map((part) => part.id || part.name);
  return { faults, links: [...new Set(links)], anchors };
})()
