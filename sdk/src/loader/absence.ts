/** What the customer reads where the frame can't be loaded: the frame's own texts are not there. */
const TEXTS: Readonly<Record<string, string>> = {
  de: "Das Zahlungsformular konnte nicht geladen werden. Bitte laden Sie die Seite neu.",
  en: "The payment form could not be loaded. Please reload the page.",
  es: "No se ha podido cargar el formulario de pago. Vuelva a cargar la página.",
  fr: "Le formulaire de paiement n’a pas pu être chargé. Veuillez recharger la page.",
  nl: "Het betaalformulier kon niet worden geladen. Laad de pagina opnieuw.",
  pt: "Não foi possível carregar o formulário de pagamento. Recarregue a página.",
};

/** A line in the form's place, in the merchant's look. */
export function absenceText(language: unknown): HTMLElement {
  const text = document.createElement("p");
  text.setAttribute("role", "alert");
  const code = typeof language === "string" && language in TEXTS ? language : "en";
  text.lang = code;
  text.textContent = TEXTS[code] ?? "";
  return text;
}
