//! Texts of pages: what a customer is asked to do.

use super::{Row, Text};

pub(super) const ROWS: &[Row] = &[
    Row::new(
        Text::Amount,
        ["Amount", "Montant", "Betrag", "Importe", "Bedrag", "Valor"],
    ),
    Row::new(
        Text::Approve,
        [
            "Approve",
            "Approuver",
            "Bestätigen",
            "Aprobar",
            "Goedkeuren",
            "Aprovar",
        ],
    ),
    Row::new(
        Text::ApprovePayment,
        [
            "Approve your payment",
            "Approuvez votre paiement",
            "Bestätigen Sie Ihre Zahlung",
            "Apruebe su pago",
            "Keur uw betaling goed",
            "Aprove o seu pagamento",
        ],
    ),
    Row::new(
        Text::ApprovedAlready,
        [
            "You have approved this already.",
            "Vous avez déjà approuvé cette demande.",
            "Sie haben dies bereits bestätigt.",
            "Ya lo ha aprobado.",
            "U hebt dit al goedgekeurd.",
            "Já aprovou este pedido.",
        ],
    ),
    Row::new(
        Text::BackToShop,
        [
            "Back to the shop",
            "Retour à la boutique",
            "Zurück zum Shop",
            "Volver a la tienda",
            "Terug naar de winkel",
            "Voltar à loja",
        ],
    ),
    Row::new(
        Text::BankAsksCard,
        [
            "Your bank asks you to confirm that this card may be saved (3D Secure).",
            "Votre banque vous demande de confirmer que cette carte peut être enregistrée (3D Secure).",
            "Ihre Bank bittet Sie zu bestätigen, dass diese Karte gespeichert werden darf (3D Secure).",
            "Su banco le pide que confirme que esta tarjeta se puede guardar (3D Secure).",
            "Uw bank vraagt u te bevestigen dat deze kaart bewaard mag worden (3D Secure).",
            "O seu banco pede que confirme que este cartão pode ser guardado (3D Secure).",
        ],
    ),
    Row::new(
        Text::BankAsksPayment,
        [
            "Your bank asks you to confirm this payment (3D Secure).",
            "Votre banque vous demande de confirmer ce paiement (3D Secure).",
            "Ihre Bank bittet Sie, diese Zahlung zu bestätigen (3D Secure).",
            "Su banco le pide que confirme este pago (3D Secure).",
            "Uw bank vraagt u deze betaling te bevestigen (3D Secure).",
            "O seu banco pede que confirme este pagamento (3D Secure).",
        ],
    ),
    Row::new(
        Text::BuyNowPayLater,
        [
            "Buy now, pay later",
            "Paiement différé",
            "Später bezahlen",
            "Pago aplazado",
            "Achteraf betalen",
            "Pagamento posterior",
        ],
    ),
    Row::new(
        Text::Card,
        ["Card", "Carte", "Karte", "Tarjeta", "Kaart", "Cartão"],
    ),
    Row::new(
        Text::ConfirmCard,
        [
            "Confirm your card",
            "Confirmez votre carte",
            "Bestätigen Sie Ihre Karte",
            "Confirme su tarjeta",
            "Bevestig uw kaart",
            "Confirme o seu cartão",
        ],
    ),
    Row::new(
        Text::ConfirmPayment,
        [
            "Confirm your payment",
            "Confirmez votre paiement",
            "Bestätigen Sie Ihre Zahlung",
            "Confirme su pago",
            "Bevestig uw betaling",
            "Confirme o seu pagamento",
        ],
    ),
    Row::new(
        Text::Decline,
        [
            "Decline", "Refuser", "Ablehnen", "Rechazar", "Weigeren", "Recusar",
        ],
    ),
    Row::new(
        Text::DeclinedAlready,
        [
            "You have declined this already.",
            "Vous avez déjà refusé cette demande.",
            "Sie haben dies bereits abgelehnt.",
            "Ya lo ha rechazado.",
            "U hebt dit al geweigerd.",
            "Já recusou este pedido.",
        ],
    ),
    Row::new(
        Text::EndingIn,
        [
            "{method} ending in {last4}",
            "{method} se terminant par {last4}",
            "{method} mit den Endziffern {last4}",
            "{method} terminada en {last4}",
            "{method} eindigend op {last4}",
            "{method} terminado em {last4}",
        ],
    ),
    Row::new(
        Text::GivenUp,
        [
            "This is over: it was given up, and nothing will be charged.",
            "C’est terminé : la demande a été abandonnée et rien ne sera débité.",
            "Dies ist beendet: Der Vorgang wurde abgebrochen, und es wird nichts abgebucht.",
            "Esto ha terminado: se abandonó y no se cobrará nada.",
            "Dit is voorbij: de betaling is afgebroken en er wordt niets afgeschreven.",
            "Este pedido terminou: foi abandonado e nada será cobrado.",
        ],
    ),
    Row::new(
        Text::MethodAsks,
        [
            "{method} asks you to approve this payment.",
            "{method} vous demande d’approuver ce paiement.",
            "{method} bittet Sie, diese Zahlung zu bestätigen.",
            "{method} le pide que apruebe este pago.",
            "{method} vraagt u deze betaling goed te keuren.",
            "{method} pede que aprove este pagamento.",
        ],
    ),
    Row::new(
        Text::NotUnderstood,
        [
            "The form needs the field outcome with the value complete or fail.",
            "Le formulaire doit avoir le champ outcome avec la valeur complete ou fail.",
            "Das Formular braucht das Feld outcome mit dem Wert complete oder fail.",
            "El formulario necesita el campo outcome con el valor complete o fail.",
            "Het formulier heeft het veld outcome nodig met de waarde complete of fail.",
            "O formulário precisa do campo outcome com o valor complete ou fail.",
        ],
    ),
    Row::new(
        Text::NotUnderstoodTitle,
        [
            "That was not understood",
            "La demande n’a pas été comprise",
            "Das wurde nicht verstanden",
            "No se ha entendido",
            "Dat is niet begrepen",
            "O pedido não foi compreendido",
        ],
    ),
    Row::new(
        Text::OpenBanking,
        [
            "Open banking",
            "Open banking",
            "Open Banking",
            "Banca abierta",
            "Open banking",
            "Open banking",
        ],
    ),
    Row::new(
        Text::PaidWith,
        [
            "Payment method",
            "Moyen de paiement",
            "Zahlungsart",
            "Forma de pago",
            "Betaalmethode",
            "Meio de pagamento",
        ],
    ),
    Row::new(
        Text::Shop,
        ["Shop", "Boutique", "Shop", "Tienda", "Winkel", "Loja"],
    ),
    Row::new(
        Text::Statement,
        [
            "On your statement",
            "Sur votre relevé",
            "Auf Ihrem Kontoauszug",
            "En su extracto",
            "Op uw afschrift",
            "No seu extrato",
        ],
    ),
    Row::new(
        Text::TestPage,
        [
            "This is a test page of the sandbox. No real money moves.",
            "Ceci est une page de test du bac à sable. Aucun argent réel ne circule.",
            "Dies ist eine Testseite der Sandbox. Es wird kein echtes Geld bewegt.",
            "Esta es una página de prueba del entorno de pruebas. No se mueve dinero real.",
            "Dit is een testpagina van de sandbox. Er wordt geen echt geld verplaatst.",
            "Esta é uma página de teste do ambiente de testes. Não há dinheiro real envolvido.",
        ],
    ),
];
