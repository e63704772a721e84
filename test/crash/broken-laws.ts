/** The laws of the commit, each broken once: what to find in a file of `src/adapters/files`, and what to put there. */
export interface BrokenLaw {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export const BROKEN_LAWS: readonly BrokenLaw[] = [
  {
    name: "the journal's record is not synced (C4)",
    file: "journal/journal.ts",
    find: "disk.fsync(fd);\n    if (at.length === 0)",
    replace: "if (at.length === 0)",
  },
  {
    name: "the folders of a new journal are not synced (C4)",
    file: "journal/journal.ts",
    find: "if (at.length === 0) syncFolders(disk);",
    replace: "",
  },
  {
    name: "a record of a dead writer is applied before it is synced (C4)",
    file: "journal/recover.ts",
    find: "syncJournal(project.disk);\n",
    replace: "\n",
  },
  {
    name: "the journal is trimmed before the files are synced (C4)",
    file: "journal/recover.ts",
    find: "  fsyncAll(disk,",
    replace: "  if (disk === undefined) fsyncAll(disk,",
  },
  {
    name: "an event log's old name goes before its new one is synced (A1)",
    file: "journal/put-aside.ts",
    find: "  disk.fsyncFolder(CONTROL);\n  disk.unlink(EVENTS);",
    replace: "  disk.unlink(EVENTS);",
  },
  {
    name: "what was put aside half done counts as a part of its own (A2)",
    file: "journal/put-aside.ts",
    find: "const isCopy = last !== undefined &&",
    replace: "const isCopy = limit < 0 && last !== undefined &&",
  },
  {
    name: "a file whose sync failed is taken for synced the next time (C4)",
    file: "journal/fsync-all.ts",
    find: 'if (errnoOf(error) === "ENOENT") return;',
    replace: "throw error;",
  },
  {
    name: "a record that could not be synced stays in the journal (C4)",
    file: "journal/journal.ts",
    find: "disk.truncate(fd, length);\n    disk.fsync(fd);\n  } catch {",
    replace: "disk.fsync(fd);\n  } catch {",
  },
  {
    name: "pending records are not replayed (C3)",
    file: "store.ts",
    find: "if (isAllApplied(project)) return plain;",
    replace: "if (project !== undefined) return plain;",
  },
  {
    name: "what is pending is not shown where the disk refuses to have it written (C3)",
    file: "store.ts",
    find: "return unapplied.reader;",
    replace: "return plain;",
  },
  {
    name: "what is pending is shown without its appends (C6)",
    file: "journal/apply.ts",
    find: "return aim.appends.length === 0 ? bytes :",
    replace: "return aim.appends.length >= 0 ? bytes :",
  },
  {
    name: "what was read is not looked at again (C5)",
    file: "store.ts",
    find: 'if (!stillHolds(plainReader(disk), reads, filesRead, checkedFolders)) return "changed";',
    replace: "",
  },
  {
    name: "the target is not looked at before it is replaced (C5)",
    file: "journal/apply.ts",
    find: "const judgement = judge(chain, aim, file, torn);\n      if",
    replace: 'const judgement = fresh ? "ours" : judge(chain, aim, file, torn);\n      if',
  },
  {
    name: "a person's text is replaced at replay (C5)",
    file: "journal/apply.ts",
    find: 'return file === null || isAccounted(chain, file, torn) ? "ours" : file;',
    replace: 'return "ours";',
  },
  {
    name: "a text that is kept aside is not synced (C5)",
    file: "journal/keep.ts",
    find: "writeNew(disk, kept, file.bytes);",
    replace: 'const fd = disk.open(kept, "new");\n  disk.write(fd, file.bytes, 0);\n  disk.close(fd);',
  },
  {
    name: "the folder of a text that is kept aside is not synced (C5)",
    file: "journal/keep.ts",
    find: "for (const folder of foldersOf(kept).toReversed()) disk.fsyncFolder(folder);",
    replace: "",
  },
  {
    name: "an edit that was redone is not journalled (C5)",
    file: "journal/recover.ts",
    find: "const record = appendRecord(project, at, resolution);",
    replace: "const record = { ...at, end: at.length };",
  },
  {
    name: "the versions in between are not known (C5)",
    file: "journal/chain.ts",
    find: 'for (const step of chain) {\n    if (step.type === "known")',
    replace: 'for (const step of chain.slice(-1)) {\n    if (step.type === "known")',
  },
  {
    name: "the marker is trusted after a power cut (C5)",
    file: "journal/marker.ts",
    find: "boot !== null && match[2] === boot",
    replace: "boot !== null",
  },
  {
    name: "the marker moves before the files (C5)",
    file: "journal/recover.ts",
    find: "    const resolution = applySteps(applying, all);",
    replace:
      "    writeMarker(project.disk, project.projectKey, at);\n    const resolution = applySteps(applying, all);",
  },
  {
    name: "the marker outlives the journal that it is about (C5)",
    file: "journal/journal.ts",
    find: "if (at.length === 0) writeMarker(disk, projectKey, at);",
    replace: "",
  },
  {
    name: "the marker is never written (C5)",
    file: "journal/recover.ts",
    find: "writeMarker(project.disk, project.projectKey, at);\n  return at;",
    replace: "return at;",
  },
  {
    name: "an append is done again (C6)",
    file: "journal/appends.ts",
    find: "  const { offset } = run;",
    replace: "  const { offset } = run;\n  if (offset >= 0) return run.appends;",
  },
  {
    name: "an append does not look for its id (C6)",
    file: "journal/appends.ts",
    find: "return run.appends.filter(({ id }) => !bytes.includes(id));",
    replace: "return run.appends;",
  },
  {
    name: "a torn append is left as it is (C6)",
    file: "journal/appends.ts",
    find: "if (bytes.length >= offset && isTorn(",
    replace: "if (bytes.length > 1e9 && isTorn(",
  },
  {
    name: "a stale temporary file stays (C7)",
    file: "journal/apply.ts",
    find: "if (!fresh) removeTemporary(disk, path);",
    replace: "",
  },
  {
    name: "the target is written in place (C7)",
    file: "journal/temporary.ts",
    find: "const folder = folderOf(path);\n  return",
    replace: "const folder = folderOf(path);\n  if (short === name) return path;\n  return",
  },
  {
    name: "a record's checksum is not checked (C7)",
    file: "journal/record.ts",
    find: "if (hashOf(Buffer.concat([covered, body])) !== checksum) return null;",
    replace: "",
  },
  {
    name: "a lock is not waited for (C2)",
    file: "locks.ts",
    find: "locked = disk.tryLock(fd) &&",
    replace: "disk.tryLock(fd);\n    locked =",
  },
  {
    name: "a failure after the commit is reported as a failed commit (C4)",
    file: "store.ts",
    find: "  } catch (thrown) {\n    // It is committed",
    replace: "  } catch (thrown) {\n    throw thrown;\n    // It is committed",
  },
  {
    name: "a record's MAC is not checked (C9)",
    file: "journal/record.ts",
    find: "key === null || macOf(key, header) !== mac",
    replace: "key === null",
  },
  {
    name: "the order of records is not checked (C9)",
    file: "journal/record.ts",
    find: " && previous === last.mac",
    replace: "",
  },
  {
    name: "a journal that was trimmed may come back (C9)",
    file: "journal/record.ts",
    find: "if (epoch < floor)",
    replace: "if (epoch < 0)",
  },
  {
    name: "a record's paths are not checked (C9)",
    file: "journal/steps.ts",
    find: "  if (fault !== null) return `the path",
    replace: "  if (fault === path) return `the path",
  },
  {
    name: "what others wrote is cut off before it is kept (C9)",
    file: "journal/foreign.ts",
    find: "  const kept = copyJournal(disk, NAME, goodLength);\n  cutTail(disk, goodLength);",
    replace: "  cutTail(disk, goodLength);\n  const kept = copyJournal(disk, NAME, goodLength);",
  },
  {
    name: "the project's key is not synced before it is used (C9)",
    file: "project-key.ts",
    find: "    writeNew(disk, fresh, disk.random(KEY_BYTES), 0o600);\n",
    replace:
      '    const fd = disk.open(fresh, "new", 0o600);\n    disk.write(fd, disk.random(KEY_BYTES), 0);\n    disk.close(fd);\n',
  },
  {
    name: "the folder of the project's key is not synced (C9)",
    file: "project-key.ts",
    find: '  disk.fsyncFolder("");\n',
    replace: "",
  },
];
