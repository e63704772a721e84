/** An asset's URL. */
declare module "*.svg" {
  const address: string;
  export default address;
}
