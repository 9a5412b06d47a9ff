//! The fields of a payment that only its processor can fill.

use domain::{answer::Approval, method::CardFunding};

/// A fact of a payment that its processor may know. Source: specification, section 2.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// The processor's own id of the authorisation.
    SourceId,
    /// Its own word for the status.
    ProcessorStatus,
    /// The network's word for it.
    NetworkStatus,
    /// Its estimate of risk, a word.
    RiskLevel,
    /// Its estimate of risk, a number.
    RiskScore,
    /// Credit, debit or prepaid.
    CardType,
    /// The bank that has issued the card.
    IssuingBank,
    /// The country of the card.
    CardCountry,
    /// The Electronic Commerce Indicator.
    Eci,
    /// The version of 3D Secure.
    ThreeDsVersion,
    /// Whether the authentication has succeeded.
    ThreeDsResult,
    /// The text on the customer's statement.
    StatementDescriptor,
    /// The amount in the currency in which the processor settles.
    LocalAmount,
    /// How the charge's currency was changed into that one.
    ExchangeRate,
    /// What the processor keeps.
    Fee,
    /// What is left.
    Net,
    /// Where the processor shows a receipt.
    Receipt,
}

impl Fact {
    /// All of them, in the order of the specification.
    pub const ALL: &'static [Self] = &[
        Self::SourceId,
        Self::Eci,
        Self::ThreeDsVersion,
        Self::ThreeDsResult,
        Self::ProcessorStatus,
        Self::NetworkStatus,
        Self::RiskLevel,
        Self::RiskScore,
        Self::StatementDescriptor,
        Self::LocalAmount,
        Self::ExchangeRate,
        Self::Fee,
        Self::Net,
        Self::CardType,
        Self::IssuingBank,
        Self::CardCountry,
        Self::Receipt,
    ];

    /// The field of a payment that shows it.
    pub const fn field(self) -> &'static str {
        match self {
            Self::SourceId => "sourceId",
            Self::Eci => "eci",
            Self::ThreeDsVersion => "threeDSecureVersion",
            Self::ThreeDsResult => "threeDSecureAuthenticationResult",
            Self::ProcessorStatus => "paymentCore.processorStatus",
            Self::NetworkStatus => "paymentCore.outcome.networkStatus",
            Self::RiskLevel => "paymentCore.outcome.riskLevel",
            Self::RiskScore => "paymentCore.outcome.riskScore",
            Self::StatementDescriptor => "paymentDetails.statementDescriptor",
            Self::LocalAmount => "paymentDetails.localAmount",
            Self::ExchangeRate => "paymentDetails.exchangeRate",
            Self::Fee => "paymentDetails.fee, processingFee",
            Self::Net => "paymentDetails.net",
            Self::CardType => "paymentMethodDetails.type",
            Self::IssuingBank => "paymentMethodDetails.issuingBank",
            Self::CardCountry => "paymentMethodDetails.country",
            Self::Receipt => "paymentReceipt.receiptUrl",
        }
    }

    /// Whether an approval brings it.
    pub fn is_in(self, approval: &Approval) -> bool {
        let three_ds = approval.three_ds.as_ref();
        let costs = approval.costs.as_ref();
        match self {
            Self::SourceId => approval.processor_id.is_some(),
            Self::Eci => three_ds.is_some_and(|facts| facts.eci.is_some()),
            Self::ThreeDsVersion => three_ds.is_some_and(|facts| facts.version.is_some()),
            Self::ThreeDsResult => three_ds.is_some_and(|facts| facts.result.is_some()),
            Self::ProcessorStatus => approval.processor_status.is_some(),
            Self::NetworkStatus => approval.network_status.is_some(),
            Self::RiskLevel => approval.risk_level.is_some(),
            Self::RiskScore => approval.risk_score_hundredths.is_some(),
            Self::StatementDescriptor => approval.statement_descriptor.is_some(),
            Self::LocalAmount | Self::Fee | Self::Net => costs.is_some(),
            Self::ExchangeRate => costs.is_some_and(|costs| costs.exchange_rate.is_some()),
            Self::CardType => approval
                .funding
                .is_some_and(|funding| funding != CardFunding::Undefined),
            Self::IssuingBank => approval.issuing_bank.is_some(),
            Self::CardCountry => approval.card_country.is_some(),
            Self::Receipt => approval.receipt_url.is_some(),
        }
    }
}
