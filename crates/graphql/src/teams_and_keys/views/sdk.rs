//! What the browser SDK may know of a team.

use domain::{Fault, money::Money};
use engine::{HostedFieldsView, SdkConfiguration, WalletAConfiguration};
use serde_json::{Map, Value};

use crate::{
    executor::{Object, Out, optional, unknown_field},
    shared::zoned,
};

/// `SdkConfiguration`.
pub(crate) struct SdkConfigurationObject(pub(crate) SdkConfiguration);

impl Object for SdkConfigurationObject {
    fn type_name(&self) -> &'static str {
        "SdkConfiguration"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let configuration = &self.0;
        Ok(match name {
            "mode" => configuration.mode.word().into(),
            "shopName" => (&configuration.shop_name).into(),
            "shopLogo" => configuration.shop_logo.as_ref().into(),
            "amount" => configuration.money.map(Money::minor).into(),
            "currencyCode" => configuration
                .money
                .map(|money| money.currency().code())
                .into(),
            "walletA" => optional(configuration.wallet_a.as_ref().map(WalletA)),
            "walletB" => optional(configuration.wallet_b.as_ref().map(WalletB)),
            "expiresAt" => match configuration.expires_at {
                Some(at) => zoned(at, arguments)?,
                None => Out::Null,
            },
            "cardRanges" => configuration.card_ranges.into(),
            "hostedFields" => optional(configuration.hosted_fields.as_ref().map(HostedFields)),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `SdkWalletA`.
struct WalletA<'a>(&'a WalletAConfiguration);

impl Object for WalletA<'_> {
    fn type_name(&self) -> &'static str {
        "SdkWalletA"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "gateway" => (&self.0.gateway).into(),
            "gatewayMerchantId" => (&self.0.gateway_merchant_id).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `SdkWalletB`.
struct WalletB<'a>(&'a String);

impl Object for WalletB<'_> {
    fn type_name(&self) -> &'static str {
        "SdkWalletB"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "merchantIdentifier" => self.0.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `SdkHostedFields`.
struct HostedFields<'a>(&'a HostedFieldsView);

impl Object for HostedFields<'_> {
    fn type_name(&self) -> &'static str {
        "SdkHostedFields"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "connectionId" => self.0.connection.to_string().into(),
            "processor" => (&self.0.processor).into(),
            "frame" => (&self.0.frame).into(),
            "parameters" => Out::Scalar(self.0.parameters.clone()),
            "asksForName" => self.0.asks_for_name.into(),
            "authentication" => self.0.authentication.word().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
