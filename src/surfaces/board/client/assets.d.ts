/** Its address. */
declare module "*.svg" {
  const address: string;
  export default address;
}
