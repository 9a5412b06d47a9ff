//! The fields of each request: those of Adyen's description that the simulator obeys, or that change nothing.

use super::rules::{Rule, Shape};

/// Longest texts where the description names no length. Unit: characters.
const LONG: usize = 10_000;

const AMOUNT: &[Rule] = &[
    Rule::integer("amount/value").required(),
    Rule::text("amount/currency", 3).required(),
];
const ACCOUNT: &[Rule] = &[Rule::text("merchantAccount", 80).required()];
/// What the clients of Adyen say about themselves.
const CLIENT: &[Rule] = &[Rule::text("applicationInfo/*/*", LONG)];
const REFERENCE: &[Rule] = &[Rule::text("reference", 80)];

/// Source: `CheckoutService-v72.json`, `PaymentRequest`.
const PAYMENT: &[Rule] = &[
    Rule::text("reference", 80).required(),
    Rule::text("returnUrl", 1024).required(),
    Rule::text("additionalData/*", LONG),
    Rule::integer("captureDelayHours"),
    Rule::one_of("channel", &["iOS", "Android", "Web"]),
    Rule::text("merchantOrderReference", 1000),
    Rule::text("metadata/*", 80),
    Rule::text("origin", 80),
    Rule::one_of("recurringProcessingModel", MODELS),
    Rule::text("redirectFromIssuerMethod", 10),
    Rule::text("redirectToIssuerMethod", 10),
    Rule::one_of("shopperInteraction", &["Ecommerce", "ContAuth", "Moto"]),
    Rule::text("shopperReference", 256),
    // The description allows 10,000 and recommends 22, which is what schemes show.
    Rule::text("shopperStatement", 22),
    Rule::flag("storePaymentMethod"),
    Rule::one_of(
        "authenticationData/attemptAuthentication",
        &["always", "never"],
    ),
    Rule::one_of(
        "authenticationData/threeDSRequestData/challengeWindowSize",
        &["01", "02", "03", "04", "05"],
    ),
    // Authentication inside the merchant's page isn't simulated.
    Rule::one_of(
        "authenticationData/threeDSRequestData/nativeThreeDS",
        &["disabled"],
    ),
    Rule::one_of(
        "authenticationData/threeDSRequestData/threeDSVersion",
        &["2.1.0", "2.2.0"],
    ),
];

const MODELS: &[&str] = &["CardOnFile", "Subscription", "UnscheduledCardOnFile"];

/// Source: the same, `CardDetails`, `IdealDetails`, `KlarnaDetails`, `SepaDirectDebitDetails`.
const METHOD: &[Rule] = &[
    Rule::text("paymentMethod/type", 40).required(),
    Rule::text("paymentMethod/brand", 40),
    Rule::text("paymentMethod/checkoutAttemptId", 256),
    Rule::text("paymentMethod/cvc", 4),
    Rule::text("paymentMethod/encryptedCardNumber", 15_000),
    Rule::text("paymentMethod/encryptedExpiryMonth", 15_000),
    Rule::text("paymentMethod/encryptedExpiryYear", 15_000),
    Rule::text("paymentMethod/encryptedSecurityCode", 15_000),
    Rule::text("paymentMethod/expiryMonth", 2),
    Rule::text("paymentMethod/expiryYear", 4),
    Rule::one_of(
        "paymentMethod/fundingSource",
        &["credit", "debit", "prepaid"],
    ),
    // 15,000 in the description; 80 in docs/development-resources/testing, which is stricter.
    Rule::text("paymentMethod/holderName", 80),
    Rule::text("paymentMethod/iban", 34),
    Rule::text("paymentMethod/issuer", 80),
    Rule::text("paymentMethod/networkPaymentReference", 80),
    Rule::text("paymentMethod/number", 19),
    Rule::text("paymentMethod/ownerName", 80),
    Rule::text("paymentMethod/storedPaymentMethodId", 64),
];

/// Source: the same, `ThreeDSecureData`.
const AUTHENTICATION: &[Rule] = &[
    Rule::one_of("mpiData/authenticationResponse", &["Y", "N", "U", "A"]),
    Rule::text("mpiData/cavv", 80),
    Rule::text("mpiData/cavvAlgorithm", 10),
    Rule::one_of(
        "mpiData/challengeCancel",
        &["01", "02", "03", "04", "05", "06", "07"],
    ),
    Rule::one_of(
        "mpiData/directoryResponse",
        &["A", "C", "D", "I", "N", "R", "U", "Y"],
    ),
    Rule::text("mpiData/dsTransID", 80),
    Rule::text("mpiData/eci", 2),
    Rule::text("mpiData/riskScore", 10),
    Rule::text("mpiData/threeDSVersion", 10),
    Rule::text("mpiData/tokenAuthenticationVerificationValue", 80),
    Rule::text("mpiData/transStatusReason", 10),
    Rule::text("mpiData/xid", 80),
];

/// About the shopper and the order. It changes nothing but the check of the address.
const SHOPPER: &[Rule] = &[
    Rule::text("billingAddress/city", 3000),
    Rule::text("billingAddress/country", 2),
    Rule::text("billingAddress/houseNumberOrName", 3000),
    Rule::text("billingAddress/postalCode", 10),
    Rule::text("billingAddress/stateOrProvince", 3),
    Rule::text("billingAddress/street", 3000),
    Rule::text("browserInfo/acceptHeader", LONG),
    Rule::integer("browserInfo/colorDepth"),
    Rule::flag("browserInfo/javaEnabled"),
    Rule::flag("browserInfo/javaScriptEnabled"),
    Rule::text("browserInfo/language", 80),
    Rule::integer("browserInfo/screenHeight"),
    Rule::integer("browserInfo/screenWidth"),
    Rule::integer("browserInfo/timeZoneOffset"),
    Rule::text("browserInfo/userAgent", LONG),
    Rule::text("company/*", 256),
    Rule::text("countryCode", 2),
    Rule::text("dateOfBirth", 10),
    Rule::text("deliveryAddress/city", 3000),
    Rule::text("deliveryAddress/country", 2),
    Rule::text("deliveryAddress/firstName", 80),
    Rule::text("deliveryAddress/houseNumberOrName", 3000),
    Rule::text("deliveryAddress/lastName", 80),
    Rule::text("deliveryAddress/postalCode", 10),
    Rule::text("deliveryAddress/stateOrProvince", 3),
    Rule::text("deliveryAddress/street", 3000),
    Rule::text("shopperEmail", 256),
    Rule::text("shopperIP", 50),
    Rule::text("shopperLocale", 10),
    Rule::text("shopperName/firstName", 80),
    Rule::text("shopperName/lastName", 80),
    Rule::text("telephoneNumber", 64),
];

const LINES: &[Rule] = &[
    Rule::integer("lineItems/#/amountExcludingTax"),
    Rule::integer("lineItems/#/amountIncludingTax"),
    Rule::text("lineItems/#/description", LONG),
    Rule::text("lineItems/#/id", 256),
    Rule::text("lineItems/#/imageUrl", 1024),
    Rule::text("lineItems/#/productUrl", 1024),
    Rule::integer("lineItems/#/quantity"),
    Rule::text("lineItems/#/sku", 256),
    Rule::integer("lineItems/#/taxAmount"),
    Rule::integer("lineItems/#/taxPercentage"),
];

pub(super) const PAY: Shape = Shape {
    name: "PaymentRequest",
    rules: &[
        AMOUNT,
        ACCOUNT,
        CLIENT,
        PAYMENT,
        METHOD,
        AUTHENTICATION,
        SHOPPER,
        LINES,
    ],
};

pub(super) const DETAILS: Shape = Shape {
    name: "PaymentDetailsRequest",
    rules: &[&[
        Rule::text("details/redirectResult", 20_000),
        Rule::text("paymentData", 200_000),
    ]],
};

pub(super) const CAPTURE: Shape = Shape {
    name: "PaymentCaptureRequest",
    rules: &[AMOUNT, ACCOUNT, CLIENT, REFERENCE, LINES],
};

pub(super) const CANCEL: Shape = Shape {
    name: "PaymentCancelRequest",
    rules: &[ACCOUNT, CLIENT, REFERENCE],
};

pub(super) const REVERSE: Shape = Shape {
    name: "PaymentReversalRequest",
    rules: &[ACCOUNT, CLIENT, REFERENCE],
};

pub(super) const REFUND: Shape = Shape {
    name: "PaymentRefundRequest",
    rules: &[
        AMOUNT,
        ACCOUNT,
        CLIENT,
        REFERENCE,
        LINES,
        &[Rule::one_of(
            "merchantRefundReason",
            &["FRAUD", "CUSTOMER REQUEST", "RETURN", "DUPLICATE", "OTHER"],
        )],
    ],
};

pub(super) const CANCEL_BY_REFERENCE: Shape = Shape {
    name: "StandalonePaymentCancelRequest",
    rules: &[
        ACCOUNT,
        CLIENT,
        REFERENCE,
        &[Rule::text("paymentReference", 80).required()],
    ],
};

pub(super) const METHODS: Shape = Shape {
    name: "PaymentMethodsRequest",
    rules: &[
        ACCOUNT,
        &[
            Rule::integer("amount/value"),
            Rule::text("amount/currency", 3),
            Rule::one_of("channel", &["iOS", "Android", "Web"]),
            Rule::text("countryCode", 2),
            Rule::text("shopperLocale", 10),
            Rule::text("shopperReference", 256),
        ],
    ],
};

pub(super) const STORE: Shape = Shape {
    name: "StoredPaymentMethodRequest",
    rules: &[
        ACCOUNT,
        METHOD,
        &[
            Rule::one_of("recurringProcessingModel", MODELS).required(),
            Rule::text("shopperReference", 256).required(),
            Rule::text("shopperEmail", 256),
            Rule::text("shopperIP", 50),
        ],
    ],
};

/// Source: docs.adyen.com/api-explorer/Management/3/post/merchants/(merchantId)/webhooks.
pub(super) const WEBHOOK: Shape = Shape {
    name: "CreateMerchantWebhookRequest",
    rules: &[&[
        Rule::flag("active").required(),
        Rule::one_of("communicationFormat", &["json"]).required(),
        Rule::one_of("type", &["standard"]).required(),
        Rule::text("url", LONG).required(),
        Rule::text("username", 255),
        Rule::text("password", 255),
        Rule::text("description", LONG),
        Rule::flag("acceptsExpiredCertificate"),
        Rule::flag("acceptsSelfSignedCertificate"),
        Rule::flag("acceptsUntrustedRootCertificate"),
        Rule::text("additionalSettings/includeEventCodes/#", 255),
    ]],
};

const DISPUTE: &[Rule] = &[
    Rule::text("merchantAccountCode", 80).required(),
    Rule::text("disputePspReference", 80).required(),
];

pub(super) const DEFENCE_REASONS: Shape = Shape {
    name: "DefenseReasonsRequest",
    rules: &[DISPUTE],
};

pub(super) const ACCEPT: Shape = Shape {
    name: "AcceptDisputeRequest",
    rules: &[DISPUTE],
};

pub(super) const DEFEND: Shape = Shape {
    name: "DefendDisputeRequest",
    rules: &[DISPUTE, &[Rule::text("defenseReasonCode", 80).required()]],
};

pub(super) const SUPPLY: Shape = Shape {
    name: "SupplyDefenseDocumentRequest",
    rules: &[
        DISPUTE,
        &[
            Rule::text("defenseDocuments/#/content", 16_000_000),
            Rule::text("defenseDocuments/#/contentType", 80),
            Rule::text("defenseDocuments/#/defenseDocumentTypeCode", 80),
        ],
    ],
};

pub(super) const DELETE_DOCUMENT: Shape = Shape {
    name: "DeleteDefenseDocumentRequest",
    rules: &[DISPUTE, &[Rule::text("defenseDocumentType", 80).required()]],
};
