(() => {
  const root = document.documentElement;
  const buttons = document.querySelectorAll("[data-set]");
  const texts = document.querySelectorAll("[data-zh]");
  const show = (language) => {
    root.dataset.lang = language;
    root.lang = language === "zh" ? "zh-CN" : "en";
    texts.forEach((element) => {
      if (element.dataset.en === undefined) element.dataset.en = element.textContent;
      element.textContent = element.dataset[language];
    });
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.set === language)));
  };
  root.classList.add("with-script");
  show(root.dataset.lang);
  buttons.forEach((button) => button.addEventListener("click", () => show(button.dataset.set)));
  const phone = matchMedia("(max-width: 759px)");
  const folds = document.querySelectorAll("details.fold");
  if (phone.matches) folds.forEach((details) => { details.open = false; });
  phone.addEventListener("change", () => {
    if (!phone.matches) folds.forEach((details) => { details.open = true; });
  });
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details:not([open])").forEach((details) => {
      details.open = true;
      details.dataset.closed = "";
    });
  });
  addEventListener("afterprint", () => {
    document.querySelectorAll("details[data-closed]").forEach((details) => {
      details.open = false;
      delete details.dataset.closed;
    });
  });
})();
