declare module "fs-native-extensions" {
  const native: {
    /** False where another open file holds a lock; closing the file frees it. */
    tryLock(fd: number): boolean;
  };
  export default native;
}
