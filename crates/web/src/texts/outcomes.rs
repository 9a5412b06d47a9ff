//! Texts of pages: how it ended, and what can't be shown.

use super::{Row, Text};

pub(super) const ROWS: &[Row] = &[
    Row::new(
        Text::BackToBank,
        [
            "Back to your bank’s page",
            "Retour à la page de votre banque",
            "Zurück zur Seite Ihrer Bank",
            "Volver a la página de su banco",
            "Terug naar de pagina van uw bank",
            "Voltar à página do seu banco",
        ],
    ),
    Row::new(
        Text::BankWaits,
        [
            "Your bank still waits for you.",
            "Votre banque vous attend toujours.",
            "Ihre Bank wartet noch auf Sie.",
            "Su banco todavía le espera.",
            "Uw bank wacht nog op u.",
            "O seu banco ainda está à sua espera.",
        ],
    ),
    Row::new(
        Text::BeingChecked,
        [
            "The payment is being checked",
            "Le paiement est en cours de vérification",
            "Die Zahlung wird geprüft",
            "Se está comprobando el pago",
            "De betaling wordt gecontroleerd",
            "O pagamento está a ser verificado",
        ],
    ),
    Row::new(
        Text::CardConfirmed,
        [
            "Your card was confirmed. You may close this page.",
            "Votre carte a été confirmée. Vous pouvez fermer cette page.",
            "Ihre Karte wurde bestätigt. Sie können diese Seite schließen.",
            "Su tarjeta se ha confirmado. Puede cerrar esta página.",
            "Uw kaart is bevestigd. U kunt deze pagina sluiten.",
            "O seu cartão foi confirmado. Pode fechar esta página.",
        ],
    ),
    Row::new(
        Text::CardNotConfirmed,
        [
            "Your card could not be confirmed. You may close this page.",
            "Votre carte n’a pas pu être confirmée. Vous pouvez fermer cette page.",
            "Ihre Karte konnte nicht bestätigt werden. Sie können diese Seite schließen.",
            "No se ha podido confirmar su tarjeta. Puede cerrar esta página.",
            "Uw kaart kon niet worden bevestigd. U kunt deze pagina sluiten.",
            "Não foi possível confirmar o seu cartão. Pode fechar esta página.",
        ],
    ),
    Row::new(
        Text::CheckAgain,
        [
            "Check again",
            "Vérifier à nouveau",
            "Erneut prüfen",
            "Comprobar de nuevo",
            "Opnieuw controleren",
            "Verificar de novo",
        ],
    ),
    Row::new(
        Text::DontPayAgain,
        [
            "The outcome is not known yet. Please don’t pay again.",
            "Le résultat n’est pas encore connu. Ne payez pas une seconde fois.",
            "Das Ergebnis ist noch nicht bekannt. Bitte bezahlen Sie nicht noch einmal.",
            "Aún no se conoce el resultado. No vuelva a pagar.",
            "De uitkomst is nog niet bekend. Betaal niet opnieuw.",
            "O resultado ainda não é conhecido. Não pague outra vez.",
        ],
    ),
    Row::new(
        Text::GoOn,
        [
            "Go on",
            "Continuer",
            "Weiter",
            "Continuar",
            "Verder",
            "Continuar",
        ],
    ),
    Row::new(
        Text::LoadAgain,
        [
            "Check again in a moment, or go back to the shop.",
            "Vérifiez à nouveau dans un instant, ou retournez à la boutique.",
            "Prüfen Sie es gleich noch einmal, oder gehen Sie zurück zum Shop.",
            "Compruébelo de nuevo dentro de un momento o vuelva a la tienda.",
            "Controleer het zo meteen opnieuw, of ga terug naar de winkel.",
            "Verifique de novo dentro de momentos ou volte à loja.",
        ],
    ),
    Row::new(
        Text::NeedsConfirmation,
        [
            "The payment needs your confirmation.",
            "Le paiement attend votre confirmation.",
            "Die Zahlung braucht Ihre Bestätigung.",
            "El pago necesita su confirmación.",
            "De betaling heeft uw bevestiging nodig.",
            "O pagamento precisa da sua confirmação.",
        ],
    ),
    Row::new(
        Text::NoResultYet,
        [
            "Your bank has not sent us the result yet. Please check again in a moment.",
            "Votre banque ne nous a pas encore transmis le résultat. Vérifiez à nouveau dans un instant.",
            "Ihre Bank hat uns das Ergebnis noch nicht geschickt. Bitte prüfen Sie es gleich noch einmal.",
            "Su banco aún no nos ha enviado el resultado. Compruébelo de nuevo dentro de un momento.",
            "Uw bank heeft ons de uitkomst nog niet gestuurd. Controleer het zo meteen opnieuw.",
            "O seu banco ainda não nos enviou o resultado. Verifique de novo dentro de momentos.",
        ],
    ),
    Row::new(
        Text::NoSuchPage,
        [
            "There is no such page",
            "Cette page n’existe pas",
            "Diese Seite gibt es nicht",
            "Esta página no existe",
            "Deze pagina bestaat niet",
            "Esta página não existe",
        ],
    ),
    Row::new(
        Text::NotFinished,
        [
            "Not finished yet",
            "Pas encore terminé",
            "Noch nicht fertig",
            "Aún no ha terminado",
            "Nog niet klaar",
            "Ainda não terminou",
        ],
    ),
    Row::new(
        Text::NotMade,
        [
            "The payment was not made",
            "Le paiement n’a pas été effectué",
            "Die Zahlung wurde nicht ausgeführt",
            "El pago no se ha realizado",
            "De betaling is niet gedaan",
            "O pagamento não foi feito",
        ],
    ),
    Row::new(
        Text::NothingCharged,
        [
            "Nothing was charged. You may close this page and try again in the shop.",
            "Rien n’a été débité. Vous pouvez fermer cette page et réessayer dans la boutique.",
            "Es wurde nichts abgebucht. Sie können diese Seite schließen und es im Shop noch einmal versuchen.",
            "No se ha cobrado nada. Puede cerrar esta página e intentarlo de nuevo en la tienda.",
            "Er is niets afgeschreven. U kunt deze pagina sluiten en het in de winkel opnieuw proberen.",
            "Nada foi cobrado. Pode fechar esta página e tentar de novo na loja.",
        ],
    ),
    Row::new(
        Text::OneMoment,
        [
            "One moment",
            "Un instant",
            "Einen Moment",
            "Un momento",
            "Een ogenblik",
            "Um momento",
        ],
    ),
    Row::new(
        Text::OneStepLeft,
        [
            "One step is left",
            "Il reste une étape",
            "Ein Schritt fehlt noch",
            "Falta un paso",
            "Er is nog één stap",
            "Falta um passo",
        ],
    ),
    Row::new(
        Text::PaidMayClose,
        [
            "The payment went through. You may close this page.",
            "Le paiement a été effectué. Vous pouvez fermer cette page.",
            "Die Zahlung wurde ausgeführt. Sie können diese Seite schließen.",
            "El pago se ha realizado. Puede cerrar esta página.",
            "De betaling is gelukt. U kunt deze pagina sluiten.",
            "O pagamento foi feito. Pode fechar esta página.",
        ],
    ),
    Row::new(
        Text::ShopUnreachable,
        [
            "The shop’s address can’t be opened. You may close this page.",
            "L’adresse de la boutique ne peut pas être ouverte. Vous pouvez fermer cette page.",
            "Die Adresse des Shops lässt sich nicht öffnen. Sie können diese Seite schließen.",
            "No se puede abrir la dirección de la tienda. Puede cerrar esta página.",
            "Het adres van de winkel kan niet worden geopend. U kunt deze pagina sluiten.",
            "Não é possível abrir o endereço da loja. Pode fechar esta página.",
        ],
    ),
    Row::new(
        Text::ShopUnreachableTitle,
        [
            "Please go back to the shop",
            "Veuillez retourner à la boutique",
            "Bitte gehen Sie zurück zum Shop",
            "Vuelva a la tienda",
            "Ga terug naar de winkel",
            "Volte à loja",
        ],
    ),
    Row::new(
        Text::ThankYou,
        [
            "Thank you",
            "Merci",
            "Vielen Dank",
            "Gracias",
            "Bedankt",
            "Obrigado",
        ],
    ),
    Row::new(
        Text::TryAgain,
        [
            "Please try again",
            "Veuillez réessayer",
            "Bitte versuchen Sie es noch einmal",
            "Inténtelo de nuevo",
            "Probeer het opnieuw",
            "Tente de novo",
        ],
    ),
    Row::new(
        Text::Unavailable,
        [
            "The service is not available at the moment. Please try again shortly.",
            "Le service n’est pas disponible pour le moment. Réessayez dans un instant.",
            "Der Dienst ist im Moment nicht erreichbar. Bitte versuchen Sie es in Kürze noch einmal.",
            "El servicio no está disponible en este momento. Inténtelo de nuevo en breve.",
            "De dienst is op dit moment niet beschikbaar. Probeer het zo meteen opnieuw.",
            "O serviço não está disponível neste momento. Tente de novo em breve.",
        ],
    ),
    Row::new(
        Text::VerificationFailed,
        [
            "That did not work",
            "Cela n’a pas fonctionné",
            "Das hat nicht geklappt",
            "No ha funcionado",
            "Dat is niet gelukt",
            "Não resultou",
        ],
    ),
    Row::new(
        Text::Verified,
        [
            "All done",
            "C’est fait",
            "Fertig",
            "Listo",
            "Klaar",
            "Concluído",
        ],
    ),
    Row::new(
        Text::WrongAddress,
        [
            "The address is not complete, or is out of use. Please go back to the shop.",
            "L’adresse est incomplète ou n’est plus valable. Veuillez retourner à la boutique.",
            "Die Adresse ist unvollständig oder gilt nicht mehr. Bitte gehen Sie zurück zum Shop.",
            "La dirección no está completa o ya no es válida. Vuelva a la tienda.",
            "Het adres is niet volledig of niet meer geldig. Ga terug naar de winkel.",
            "O endereço não está completo ou já não é válido. Volte à loja.",
        ],
    ),
];
