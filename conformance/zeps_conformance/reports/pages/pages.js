// Enhancements of the pages: filters that the address keeps, copying of commands, permalinks.
"use strict";
(() => {
  const rows = [...document.querySelectorAll("tr[data-cells]")].map((element) => ({
    element,
    cells: element.dataset.cells.split(" ").map((cell) => cell.split("/")),
    text: element.textContent.toLowerCase(),
  }));
  const form = document.querySelector("form.filters");
  const FIELDS = ["impl", "role", "verdict"];
  const inHash = location.hash.startsWith("#?");
  const query = new URLSearchParams(inHash ? location.hash.slice(1) : location.search);

  const make = (tag, properties, children = []) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const remember = (values) => {
    const text = new URLSearchParams(values.filter(([, value]) => value)).toString();
    const anchor = location.hash.startsWith("#?") ? "" : location.hash;
    try {
      history.replaceState(null, "", location.pathname + (text ? `?${text}` : "") + anchor);
    } catch {
      location.hash = text ? `?${text}` : "";
    }
  };

  const apply = (controls, status) => {
    const [impl, role, verdict, find] = controls.map((control) => control.value.trim());
    const wanted = [impl, role, verdict];
    let visible = 0;
    for (const row of rows) {
      const fits =
        row.text.includes(find.toLowerCase()) &&
        row.cells.some((cell) => wanted.every((value, index) => !value || cell[index] === value));
      row.element.hidden = !fits;
      visible += fits;
    }
    for (const group of document.querySelectorAll("tr.group")) {
      const body = group.parentElement;
      body.hidden = ![...body.querySelectorAll("tr[data-cells]")].some((row) => !row.hidden);
    }
    status.textContent = `${visible} of ${rows.length}`;
  };

  if (form && rows.length > 1) {
    const controls = FIELDS.map((name, index) => {
      const values = [...new Set(rows.flatMap((row) => row.cells.map((cell) => cell[index])))].sort();
      const asked = query.get(name);
      if (asked && !values.includes(asked)) values.push(asked);
      const options = values.map((value) => make("option", { value, textContent: value }));
      const all = make("option", { value: "", textContent: `every ${name === "impl" ? "implementation" : name}` });
      const select = make("select", { name, ariaLabel: name }, [all, ...options]);
      select.value = asked ?? "";
      select.hidden = values.length < 2;
      return select;
    });
    const find = make("input", { type: "search", name: "find", placeholder: "Find text", ariaLabel: "Find text" });
    find.value = query.get("find") ?? "";
    controls.push(find);
    const status = make("output", { className: "soft small" });
    form.append(...controls, status);
    const update = () => {
      apply(controls, status);
      remember(controls.map((control) => [control.name, control.value.trim()]));
    };
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    apply(controls, status);
  }

  for (const block of document.querySelectorAll("pre.command")) {
    if (block.dataset.permalink && location.protocol.startsWith("http")) {
      const address = new URL(block.dataset.permalink, location.href).href;
      block.textContent = block.textContent.replace(block.dataset.permalink, address);
    }
    const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
    });
    if (navigator.clipboard) block.before(button);
  }
})();
