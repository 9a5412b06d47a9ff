/** Files whose names are known once they are built: the import is their address below `/sdk/v1/f/`. */
declare module "*.svg" {
  const address: string;
  export default address;
}

declare module "built:hostedfields.js" {
  const address: string;
  export default address;
}

declare module "built:hostedstandin.js" {
  const address: string;
  export default address;
}

declare module "built:hostedwallets.js" {
  const address: string;
  export default address;
}

declare module "built:paying.js" {
  const address: string;
  export default address;
}

declare module "built:wallet-stand-in.js" {
  const address: string;
  export default address;
}

declare module "built:wallets.js" {
  const address: string;
  export default address;
}

/** What a built file must be: `sha384-…`. */
declare module "integrity:wallets.js" {
  const integrity: string;
  export default integrity;
}

/** A style, as text. */
declare module "*.css" {
  const css: string;
  export default css;
}
