/** Files whose names are known once they are built: the import is their address below `/sdk/v1/f/`. */
declare module "*.svg" {
  const address: string;
  export default address;
}

declare module "built:wallet-stand-in.js" {
  const address: string;
  export default address;
}
