/* What Streamlit's widgets cannot do. It comes with every run of the page, and acts once. A heading
   "Rabbithole" that is drawn earlier is `window.rabbithole`, too: its anchor has that id. */
if (window.rabbithole !== true) {
  window.rabbithole = true;
  const root = document.getElementById("root");
  const FIELD = "[data-testid=stChatInput] textarea";

  /* Streamlit draws the whole page in one tree. An error while the tree is changed takes it away,
     and the page is white for good: when a part that is drawn again and again comes late ("'setIn'
     cannot be called on an ElementNode"), or when a translator has moved texts about. All it
     showed is in the address and the catalog, so loading it again is enough. */
  const revive = () => {
    if (root.childElementCount) return;
    console.warn("Rabbithole: the page was empty and is loaded again");
    setTimeout(() => location.reload(), Math.max(0, 3000 - performance.now()));
  };

  /* A question that was not sent yet outlives other pages and a refresh. */
  const draft = (field) => `draft:${new URLSearchParams(location.search).get("thread") ?? ""}`;
  const write = (field, text) => {
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
    set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const restore = () => {
    const field = document.querySelector(`.st-key-question ${FIELD}, ${FIELD}`);
    if (!field || field.dataset.restored) return;
    field.dataset.restored = "yes";
    const text = sessionStorage.getItem(draft(field));
    if (text && !field.value) write(field, text);
  };
  document.addEventListener("input", ({ target }) => {
    if (target.matches?.(FIELD)) sessionStorage.setItem(draft(target), target.value);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches?.(FIELD)) return;
    if (!event.shiftKey) sessionStorage.removeItem(draft(event.target));
    if (!event.ctrlKey && !event.metaKey) return;
    event.target.closest("[data-testid=stChatInput]")
      .querySelector("[data-testid=stChatInputSubmitButton]")?.click();
  }, true);
  /* Streamlit forgets a key whose field is left by Tab for the eye beside it. */
  document.addEventListener("keydown", ({ key, target }) => {
    if (key === "Tab" && target.matches?.("input[type=password]")) target.blur();
  }, true);
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[data-testid=stChatInputSubmitButton]"))
      sessionStorage.removeItem(draft(target));
    /* On a phone the menu covers the page: choosing one closes it. */
    if (innerWidth < 768 && target.closest?.("[data-testid=stSidebarNavLink]"))
      document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  }, true);

  /* Files may be dropped anywhere on a page that takes them; a folded form for them opens. */
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    const zone = "[data-testid=stFileUploaderDropzone]";
    const field = document.querySelector(".st-key-add-files input[type=file], " +
      "[data-testid=stFileUploader] input[type=file]");
    if (event.target.closest?.(zone) || !event.dataTransfer?.files.length) return;
    event.preventDefault();
    if (!field) return;
    field.files = event.dataTransfer.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.closest("details:not([open])")?.querySelector("summary").click();
    const form = field.closest("[data-testid=stExpander], [data-testid=stForm]") ?? field;
    const unfolding = new ResizeObserver(() => form.scrollIntoView({ block: "nearest" }));
    unfolding.observe(form);
    setTimeout(() => unfolding.disconnect(), 3000);
  });

  /* A window shows what was done in others: at once if it is in sight, else when it is again. */
  const windows = new BroadcastChannel("rabbithole");
  let waiting, acted = -500;
  const look = () => {  // not amid another run, nor with a click on its way: it would be undone
    clearTimeout(waiting);
    const app = document.querySelector("[data-testid=stApp]");
    if (performance.now() - acted < 500 || app?.dataset.testScriptState !== "notRunning")
      waiting = setTimeout(look, 200);
    else if (!document.hidden) app.querySelector(".st-key-redrawn button")?.click();
  };
  windows.onmessage = look;
  document.addEventListener("visibilitychange", look);
  const tell = ({ isTrusted, type, key }) => {
    acted = performance.now();
    if (isTrusted && (type === "click" || key === "Enter"))
      setTimeout(() => windows.postMessage("done"), 1000);
  };
  for (const type of ["click", "keydown"]) document.addEventListener(type, tell, true);

  /* The newest turn of a conversation is read from its beginning; an address that names a citation
     leads to the answer that has it. */
  let newest = "";
  const lead = () => {
    const turn = document.querySelector('[class*="st-key-newest-"]');
    const address = new URLSearchParams(location.search);
    const key = turn && address.get("thread") + turn.className.match(/st-key-(newest-[\w-]+)/)[1];
    if (!turn || key === newest) return;
    newest = key;
    const cited = !clicked && address.has("cite") &&
      document.querySelector(`.st-key-reading-${address.get("turn")}-`);
    (cited || turn).scrollIntoView({ block: "start" });
  };

  /* Pages are enlarged alike, in steps, around what is in the middle of their frames. */
  const STEPS = [1, 1.5, 2, 3];
  let zoomed = Number(sessionStorage.getItem("zoom")) || 1;
  const enlarge = (factor) => {
    const sheets = [...document.querySelectorAll('[class*="st-key-sheet-"]')].map((sheet) => [
      sheet, (sheet.scrollLeft + sheet.clientWidth / 2) / sheet.scrollWidth,
      (sheet.scrollTop + sheet.clientHeight / 2) / sheet.scrollHeight]);
    zoomed = factor;
    sessionStorage.setItem("zoom", zoomed);
    const { style } = document.documentElement;
    style.setProperty("--zoom", zoomed);
    style.setProperty("--zoom-label", `"${100 * zoomed} %"`);
    for (const [sheet, x, y] of sheets)
      sheet.scrollTo({ left: x * sheet.scrollWidth - sheet.clientWidth / 2,
        top: y * sheet.scrollHeight - sheet.clientHeight / 2, behavior: "instant" });
  };
  const step = (direction) => {
    const larger = STEPS.indexOf(zoomed) + direction;
    if (larger >= 0 && larger < STEPS.length) enlarge(STEPS[larger]);
  };
  enlarge(STEPS.includes(zoomed) ? zoomed : 1);
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("button[data-zoom]");
    if (button) step(Number(button.dataset.zoom));
  });
  let pinched = 0;
  document.addEventListener("wheel", (event) => {
    if (!event.ctrlKey || !event.target.closest?.('[class*="st-key-sheet-"]')) return;
    event.preventDefault();
    pinched += event.deltaY;
    if (Math.abs(pinched) < 40) return;
    step(pinched < 0 ? 1 : -1);
    pinched = 0;
  }, { passive: false });

  /* A page is shown where its mark is: the match that is looked at, else the quote. */
  const reveal = () => {
    for (const sheet of document.querySelectorAll('[class*="st-key-sheet-"]')) {
      const mark = sheet.querySelector("mark.current") ?? sheet.querySelector("mark.quoted");
      const image = sheet.querySelector("img");
      if (!mark || mark.dataset.shown || !image?.complete || !image.naturalWidth) continue;
      mark.dataset.shown = "yes";
      const frame = sheet.getBoundingClientRect(), box = mark.getBoundingClientRect();
      sheet.scrollBy({ left: box.left - frame.left - sheet.clientWidth / 6,
        top: box.top - frame.top - sheet.clientHeight / 3, behavior: "instant" });
    }
  };
  document.addEventListener("load", reveal, true);  // of images

  /* A click on a mark moves nothing: where its proof opens, one above it may close. */
  let clicked;
  document.addEventListener("click", ({ target }) => {
    const mark = target.closest?.('[class*="st-key-mark-"]');
    if (mark) clicked = { key: mark.className.match(/st-key-mark-[\w-]+/)[0],
      top: mark.getBoundingClientRect().top, until: performance.now() + 5000 };
  }, true);
  for (const type of ["wheel", "touchmove", "keydown"])
    document.addEventListener(type, () => { clicked = undefined; }, true);
  const hold = () => {
    if (!clicked || performance.now() > clicked.until) return;
    const mark = document.querySelector(`.${clicked.key}`);
    const moved = mark ? mark.getBoundingClientRect().top - clicked.top : 0;
    if (moved) document.querySelector("[data-testid=stMain]").scrollBy({ top: moved, behavior: "instant" });
  };

  /* An entry of the menu leads to the beginning of its page, also from a thread in that page. */
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-testid=stTopNavLink], [data-testid=stSidebarNavLink]");
    if (!link || link.pathname !== location.pathname || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    history.pushState({}, "", link.pathname);
    dispatchEvent(new PopStateEvent("popstate"));
  }, true);

  /* Copies what a hidden element beside the button holds. */
  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const field = document.body.appendChild(document.createElement("textarea"));
    field.value = text;  // without HTTPS there is no clipboard
    field.select();
    document.execCommand("copy");
    field.remove();
  };
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.('[class*="st-key-copy-"]');
    const name = button?.className.match(/st-key-copy-([\w-]+)/)[1];
    if (name) copy(document.querySelector(`.st-key-copied-${name}`).textContent);
  }, true);

  /* A task that is added to a plan is written at once. */
  let adding = false;
  document.addEventListener("click", ({ target }) => {
    adding ||= Boolean(target.closest?.('.st-key-plan-actions [class*="st-key-add-"] button'));
  }, true);
  const add = () => {
    const field = adding && document.querySelector('[class*="st-key-row-"] textarea:placeholder-shown');
    if (!field) return;
    adding = false;
    field.focus();
  };

  /* A report that has just been written begins at its top, wherever one was in its plan. */
  let working = false;
  const begin = () => {
    if (document.querySelector(".st-key-working")) working = true;
    else if (working && document.querySelector(".st-key-reading-report")) {
      working = false;
      document.querySelector("[data-testid=stMain]").scrollTo({ top: 0 });
    }
  };

  /* Without its server the page says so in our words. It is loaded again as soon as the server
     answers, unless Streamlit has found back by itself. */
  let lost;
  const connected = () =>
    document.querySelector("[data-testid=stApp]")?.dataset.testConnectionState === "CONNECTED";
  const watch = async () => {
    if (connected()) {
      document.getElementById("server-gone")?.remove();
      lost = undefined;
      return;
    }
    if (!document.getElementById("server-gone")) {
      const alarm = Object.assign(document.createElement("div"), { id: "server-gone" });
      alarm.setAttribute("role", "alert");
      alarm.textContent = document.documentElement.dataset.serverGone;
      document.body.append(alarm);
    }
    const answers = await fetch("/_stcore/health").then((reply) => reply.ok, () => false);
    if (answers && !connected()) location.reload();
    else lost = setTimeout(watch, 2000);
  };

  new MutationObserver(() => {
    revive(); restore(); lead(); hold(); begin(); reveal(); add();
    if (lost === undefined && root.childElementCount && !connected()) lost = setTimeout(watch, 2000);
  }).observe(root, {
    childList: true, subtree: true,
    attributes: true, attributeFilter: ["data-test-connection-state"],
  });
}
