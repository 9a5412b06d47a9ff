//! Texts of the hosted page and of payment links.

use super::{Row, Text};

pub(super) const ROWS: &[Row] = &[
    Row::new(
        Text::AddressIncomplete,
        [
            "This page can’t be shown",
            "Cette page ne peut pas être affichée",
            "Diese Seite kann nicht angezeigt werden",
            "Esta página no se puede mostrar",
            "Deze pagina kan niet worden getoond",
            "Esta página não pode ser mostrada",
        ],
    ),
    Row::new(
        Text::AsksAgain,
        [
            "This page asks again by itself.",
            "Cette page réessaie d’elle-même.",
            "Diese Seite versucht es von selbst noch einmal.",
            "Esta página lo intenta de nuevo por sí sola.",
            "Deze pagina probeert het vanzelf opnieuw.",
            "Esta página tenta de novo sozinha.",
        ],
    ),
    Row::new(
        Text::AsksItself,
        [
            "This page asks by itself and shows the end as soon as it is known.",
            "Cette page se renseigne d’elle-même et affiche le résultat dès qu’il est connu.",
            "Diese Seite fragt von selbst nach und zeigt das Ergebnis, sobald es bekannt ist.",
            "Esta página pregunta por sí sola y muestra el resultado en cuanto se conoce.",
            "Deze pagina vraagt het vanzelf na en toont de uitkomst zodra die bekend is.",
            "Esta página pergunta sozinha e mostra o resultado assim que for conhecido.",
        ],
    ),
    Row::new(
        Text::AskingBank,
        [
            "We are asking your bank",
            "Nous interrogeons votre banque",
            "Wir fragen Ihre Bank",
            "Estamos preguntando a su banco",
            "Wij vragen het uw bank",
            "Estamos a perguntar ao seu banco",
        ],
    ),
    Row::new(
        Text::BeginAgain,
        [
            "Please go back to the shop and begin to pay again.",
            "Veuillez retourner à la boutique et recommencer le paiement.",
            "Bitte gehen Sie zurück zum Shop und beginnen Sie dort noch einmal mit dem Bezahlen.",
            "Vuelva a la tienda y empiece de nuevo a pagar.",
            "Ga terug naar de winkel en begin opnieuw met betalen.",
            "Volte à loja e comece de novo a pagar.",
        ],
    ),
    Row::new(
        Text::CheckoutEnded,
        [
            "This checkout has ended",
            "Ce paiement est terminé",
            "Dieser Bezahlvorgang ist beendet",
            "Este pago ha terminado",
            "Deze betaling is beëindigd",
            "Este pagamento terminou",
        ],
    ),
    Row::new(
        Text::CheckoutOver,
        [
            "Its time is over, or its address is not complete. Nothing was charged by opening it.",
            "Le délai est dépassé ou l’adresse est incomplète. Rien n’a été débité par son ouverture.",
            "Die Zeit ist abgelaufen, oder die Adresse ist nicht vollständig. Durch das Öffnen wurde nichts abgebucht.",
            "Se ha agotado el tiempo o la dirección no está completa. No se ha cobrado nada por abrirla.",
            "De tijd is verstreken of het adres is niet volledig. Door het openen is niets afgeschreven.",
            "O prazo terminou ou o endereço não está completo. Nada foi cobrado por o abrir.",
        ],
    ),
    Row::new(
        Text::Date,
        ["Date", "Date", "Datum", "Fecha", "Datum", "Data"],
    ),
    Row::new(
        Text::ForTheShop,
        [
            "For the shop:",
            "Pour la boutique :",
            "Für den Shop:",
            "Para la tienda:",
            "Voor de winkel:",
            "Para a loja:",
        ],
    ),
    Row::new(
        Text::InDoubt,
        [
            "A payment is under way, and it is not known yet how it ends. Please don’t pay again.",
            "Un paiement est en cours et son résultat n’est pas encore connu. Ne payez pas une seconde fois.",
            "Eine Zahlung läuft, und ihr Ergebnis ist noch nicht bekannt. Bitte bezahlen Sie nicht noch einmal.",
            "Hay un pago en curso y aún no se sabe cómo termina. No vuelva a pagar.",
            "Er loopt een betaling, en de uitkomst is nog niet bekend. Betaal niet opnieuw.",
            "Há um pagamento em curso e ainda não se sabe como termina. Não pague outra vez.",
        ],
    ),
    Row::new(
        Text::KeepPage,
        [
            "You can keep or print this page. Nothing more is to be paid.",
            "Vous pouvez conserver ou imprimer cette page. Il n’y a plus rien à payer.",
            "Sie können diese Seite aufheben oder drucken. Es ist nichts mehr zu bezahlen.",
            "Puede guardar o imprimir esta página. No queda nada por pagar.",
            "U kunt deze pagina bewaren of afdrukken. Er hoeft niets meer te worden betaald.",
            "Pode guardar ou imprimir esta página. Não há mais nada a pagar.",
        ],
    ),
    Row::new(
        Text::LinkEnded,
        [
            "This link has ended",
            "Ce lien n’est plus valable",
            "Dieser Link gilt nicht mehr",
            "Este enlace ya no es válido",
            "Deze link is niet meer geldig",
            "Esta ligação já não é válida",
        ],
    ),
    Row::new(
        Text::LinkExpired,
        [
            "The time to pay with it is over.",
            "Le délai pour payer avec ce lien est dépassé.",
            "Die Zeit, damit zu bezahlen, ist abgelaufen.",
            "El plazo para pagar con él ha terminado.",
            "De tijd om ermee te betalen is verstreken.",
            "O prazo para pagar com ela terminou.",
        ],
    ),
    Row::new(
        Text::LinkIncomplete,
        [
            "The address is not complete, or is out of use. Please ask the shop for a new link.",
            "L’adresse est incomplète ou n’est plus valable. Demandez un nouveau lien à la boutique.",
            "Die Adresse ist unvollständig oder gilt nicht mehr. Bitte fragen Sie den Shop nach einem neuen Link.",
            "La dirección no está completa o ya no es válida. Pida un enlace nuevo a la tienda.",
            "Het adres is niet volledig of niet meer geldig. Vraag de winkel om een nieuwe link.",
            "O endereço não está completo ou já não é válido. Peça uma nova ligação à loja.",
        ],
    ),
    Row::new(
        Text::LinkWithdrawn,
        [
            "The shop has withdrawn it.",
            "La boutique l’a retiré.",
            "Der Shop hat ihn zurückgezogen.",
            "La tienda lo ha retirado.",
            "De winkel heeft hem ingetrokken.",
            "A loja retirou-a.",
        ],
    ),
    Row::new(
        Text::NeedsScript,
        [
            "Card details are encrypted in your browser, which needs JavaScript. Please switch it on.",
            "Les données de la carte sont chiffrées dans votre navigateur, ce qui nécessite JavaScript. Veuillez l’activer.",
            "Kartendaten werden in Ihrem Browser verschlüsselt. Dafür braucht er JavaScript: Bitte schalten Sie es ein.",
            "Los datos de la tarjeta se cifran en su navegador, que necesita JavaScript. Actívelo.",
            "Kaartgegevens worden in uw browser versleuteld. Daarvoor is JavaScript nodig: zet het aan.",
            "Os dados do cartão são cifrados no seu navegador, que precisa de JavaScript. Ative-o.",
        ],
    ),
    Row::new(
        Text::NewLink,
        [
            "Nothing was charged by opening it. Please ask the shop for a new one.",
            "Rien n’a été débité par son ouverture. Demandez-en un nouveau à la boutique.",
            "Durch das Öffnen wurde nichts abgebucht. Bitte fragen Sie den Shop nach einem neuen.",
            "No se ha cobrado nada por abrirlo. Pida uno nuevo a la tienda.",
            "Door het openen is niets afgeschreven. Vraag de winkel om een nieuwe.",
            "Nada foi cobrado por a abrir. Peça uma nova à loja.",
        ],
    ),
    Row::new(
        Text::Order,
        [
            "Order",
            "Commande",
            "Bestellung",
            "Pedido",
            "Bestelling",
            "Encomenda",
        ],
    ),
    Row::new(
        Text::PartlyRefunded,
        [
            "This payment was made, and a part of it has been refunded.",
            "Ce paiement a été effectué, et une partie a été remboursée.",
            "Diese Zahlung wurde geleistet, und ein Teil davon wurde erstattet.",
            "Este pago se realizó y se ha reembolsado una parte.",
            "Deze betaling is gedaan, en een deel ervan is terugbetaald.",
            "Este pagamento foi feito e uma parte foi reembolsada.",
        ],
    ),
    Row::new(
        Text::Received,
        [
            "{shop} has received your payment of {amount}.",
            "{shop} a reçu votre paiement de {amount}.",
            "{shop} hat Ihre Zahlung über {amount} erhalten.",
            "{shop} ha recibido su pago de {amount}.",
            "{shop} heeft uw betaling van {amount} ontvangen.",
            "{shop} recebeu o seu pagamento de {amount}.",
        ],
    ),
    Row::new(
        Text::Reference,
        [
            "Reference",
            "Référence",
            "Referenz",
            "Referencia",
            "Referentie",
            "Referência",
        ],
    ),
    Row::new(
        Text::Refunded,
        [
            "This payment was made, and has been refunded in full.",
            "Ce paiement a été effectué, puis intégralement remboursé.",
            "Diese Zahlung wurde geleistet und vollständig erstattet.",
            "Este pago se realizó y se ha reembolsado por completo.",
            "Deze betaling is gedaan en volledig terugbetaald.",
            "Este pagamento foi feito e reembolsado na totalidade.",
        ],
    ),
    Row::new(
        Text::RefundedAmount,
        [
            "Refunded",
            "Remboursé",
            "Erstattet",
            "Reembolsado",
            "Terugbetaald",
            "Reembolsado",
        ],
    ),
    Row::new(
        Text::RefundUnderWay,
        [
            "This payment was made, and a refund is under way.",
            "Ce paiement a été effectué, et un remboursement est en cours.",
            "Diese Zahlung wurde geleistet, und eine Erstattung ist unterwegs.",
            "Este pago se realizó y hay un reembolso en curso.",
            "Deze betaling is gedaan, en een terugbetaling is onderweg.",
            "Este pagamento foi feito e há um reembolso em curso.",
        ],
    ),
    Row::new(
        Text::ShopLinkIncomplete,
        [
            "The shop’s link to this page is not complete. Nothing was charged.",
            "Le lien de la boutique vers cette page est incomplet. Rien n’a été débité.",
            "Der Link des Shops zu dieser Seite ist nicht vollständig. Es wurde nichts abgebucht.",
            "El enlace de la tienda a esta página no está completo. No se ha cobrado nada.",
            "De link van de winkel naar deze pagina is niet volledig. Er is niets afgeschreven.",
            "A ligação da loja para esta página não está completa. Nada foi cobrado.",
        ],
    ),
    Row::new(
        Text::TooMany,
        [
            "This page was opened too often. Please wait a moment.",
            "Cette page a été ouverte trop souvent. Veuillez patienter un instant.",
            "Diese Seite wurde zu oft geöffnet. Bitte warten Sie einen Moment.",
            "Esta página se ha abierto demasiadas veces. Espere un momento.",
            "Deze pagina is te vaak geopend. Wacht even.",
            "Esta página foi aberta demasiadas vezes. Aguarde um momento.",
        ],
    ),
];
