//! The attribute with which a function names its planted alternatives.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{
    FnArg, Ident, ItemFn, Pat, Path, Signature, Token,
    parse::{Parse, ParseStream},
    parse_macro_input, parse_quote,
    punctuated::Punctuated,
};

/// One bug, and the function that has it: `SendByIgnored = bugs::never_too_late`.
struct Alternative {
    bug: Ident,
    path: Path,
}

impl Parse for Alternative {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let bug = input.parse()?;
        input.parse::<Token![=]>()?;
        let path = input.parse()?;
        Ok(Self { bug, path })
    }
}

/// Has the function replaced by another one on threads with a planted bug.
///
/// `#[cfg_attr(feature = "planted", planted::alternatives(Bug = path, …))]` stands above a function whose parameters are plain names. The
/// alternative at `path` takes the same parameters, `self` first. The function as it is can be called by alternatives as
/// `unplanted_` with its name.
#[proc_macro_attribute]
pub fn alternatives(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let alternatives = parse_macro_input!(
        attribute with Punctuated::<Alternative, Token![,]>::parse_terminated
    );
    let function = parse_macro_input!(item as ItemFn);
    replaced(&alternatives, function)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

fn replaced(
    alternatives: &Punctuated<Alternative, Token![,]>,
    mut function: ItemFn,
) -> syn::Result<Tokens> {
    // What lints know of the body goes with it.
    let attributes: Vec<_> = function
        .attrs
        .iter()
        .filter(|attribute| {
            attribute.path().is_ident("doc") || attribute.path().is_ident("must_use")
        })
        .cloned()
        .collect();
    let visibility = std::mem::replace(&mut function.vis, parse_quote!(pub(crate)));
    let mut signature = function.sig.clone();
    let arguments = signature
        .inputs
        .iter_mut()
        .map(argument)
        .collect::<syn::Result<Vec<_>>>()?;
    let own = format_ident!("unplanted_{}", signature.ident);
    function.sig.ident = own.clone();
    let original = match signature.receiver() {
        Some(_) => call(&quote!(Self::#own), &arguments, &signature),
        None => call(&quote!(#own), &arguments, &signature),
    };
    let arms = alternatives.iter().map(|Alternative { bug, path }| {
        let alternative = call(&quote!(#path), &arguments, &signature);
        quote!(::core::option::Option::Some(::planted::Bug::#bug) => #alternative,)
    });
    Ok(quote! {
        #(#attributes)*
        #visibility #signature {
            match ::planted::planted() {
                #(#arms)*
                _ => #original,
            }
        }

        #[allow(private_interfaces, reason = "alternatives stand in other modules")]
        #function
    })
}

/// The name of a parameter, which is made one that does not change.
fn argument(input: &mut FnArg) -> syn::Result<Ident> {
    match input {
        FnArg::Receiver(receiver) => Ok(Ident::from(receiver.self_token)),
        FnArg::Typed(typed) => match typed.pat.as_mut() {
            Pat::Ident(name) => {
                name.mutability = None;
                Ok(name.ident.clone())
            }
            other => Err(syn::Error::new_spanned(other, "it must be a plain name")),
        },
    }
}

/// A call that ends; that of an asynchronous function on the heap, so that those who call it stay small.
fn call(function: &Tokens, arguments: &[Ident], signature: &Signature) -> Tokens {
    if signature.asyncness.is_some() {
        quote!(::std::boxed::Box::pin(#function(#(#arguments),*)).await)
    } else {
        quote!(#function(#(#arguments),*))
    }
}
