import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { readShell } from "./shell-writes.ts";

const AROUND = { cwd: "/p", home: "/home/dev", isProgram: (path: string) => path === "/opt/pawl/main.js" };
const read = (command: string) => readShell(command, AROUND);
const paths = (command: string) =>
  read(command).writes.map(({ cwd, path }) => (path.startsWith("/") ? path : `${cwd}/${path}`));

describe("a shell's command", () => {
  it.each([
    ["echo x > a", ["/p/a"]],
    ["echo x >>a 2>/dev/null", ["/p/a", "/dev/null"]],
    ["echo x 2>&1 >&- | tee -a b c", ["/p/b", "/p/c"]],
    ["echo x &> a; echo y &>> b; echo z >| c; echo w >& d", ["/p/a", "/p/b", "/p/c", "/p/d"]],
    [": > 'a b'; : > \"c d\"; : > e\\ f; : > $'g\\x2eh'", ["/p/a b", "/p/c d", "/p/e f", "/p/g.h"]],
    ["cat <<'EOF' > a\n> b\nEOF\necho > c", ["/p/a", "/p/c"]],
    ["cat <<-EOF\n\t> b\n\tEOF\necho > c", ["/p/c"]],
    ["cat <<A <<B\n> a\nA\n> b\nB\n: > c", ["/p/c"]],
    ["[[ a > b ]] && (( a > b )) ; echo $((1 > 2))", []],
    ["x=$(echo y > a)", ["/p/a"]],
    ["echo `echo y > a`", ["/p/a"]],
    ["diff <(cat a) <(cat b > c)", ["/p/c"]],
    ["(cd sub; : > a); : > b", ["/p/a", "/p/b"]],
    ["cd sub && : > a", ["/p/sub/a"]],
    ["cd /q; cd r; : > a", ["/q/r/a"]],
    ["if true; then rm a; else rm b; fi", ["/p/a", "/p/b"]],
    ["for f in a b; do rm $f; done", []],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell expands it
    ['F=a; rm $F ${F}.b "$F"', ["/p/a", "/p/a.b", "/p/a"]],
    ["rm $HOME/a ~/b", ["/home/dev/a", "/p/~/b"]],
    ["rm {a,b}.c", ["/p/a.c", "/p/b.c"]],
    ["sed -i s/a/b/ c d; sed -n p e; sed -i.bak -e s/a/b/ f", ["/p/c", "/p/d", "/p/f"]],
    ["perl -pi -e s/a/b/ c; perl -e 1 d", ["/p/c"]],
    ["perl -MList::Util=sum -lane '1' a; perl -Ilib/i -e 1 b; perl a.pl -i c; perl -Mi -wne 1 d", []],
    ["ruby -rdigest -e 1 a; ruby -Ilib -ne 1 b; sed -f i.sed c; sed -fi.sed d; sed -es/i/j/ e", []],
    ["perl -MList::Util -i.bak -lane 1 a; perl -w -0777pi -e 1 b", ["/p/a", "/p/b"]],
    ["perl -C -MSome -pi -e 1 a; sed -nEi 1p b; sed s/a/b/ c -i", ["/p/a", "/p/b", "/p/c"]],
    ["awk -i inplace 1 a; awk 1 b", ["/p/a"]],
    ["cp a b; cp -r a c/", ["/p/b", "/p/b/a", "/p/c/", "/p/c//a"]],
    ["mv a b", ["/p/b", "/p/b/a", "/p/a"]],
    ["ln -sf a b; install -m 755 a c", ["/p/b", "/p/b/a", "/p/c", "/p/c/a"]],
    ["dd if=a of=b; truncate -s 0 c; touch d; mkdir -p e", ["/p/b", "/p/c", "/p/d", "/p/e"]],
    ["patch < a; patch b < a; patch --dry-run < a", ["/p/.", "/p/b"]],
    ["git apply a; git apply --check a; git -C sub apply a", ["/p/.", "/p/sub/."]],
    [
      "git checkout -- a; git restore b; git rm c; git rm --cached d; git mv e f",
      ["/p/a", "/p/b", "/p/c", "/p/f", "/p/f/e", "/p/e"],
    ],
    ["git checkout -b x; git switch x; git stash; git pull; git reset --hard", []],
    ["curl -o a u; curl -sSLo b u; wget -O c u; curl u", ["/p/a", "/p/c"]],
    ["tar xzf a -C b; tar czf c d", ["/p/b"]],
    ["find . -name x -delete; find . -type f -delete", ["/p/./**/x", "/p/."]],
    [
      "find -L a b \\( -name 'x y' -o -iname '*.o' \\) -exec rm {} +",
      ["/p/a/**/x y", "/p/a/**/*.o", "/p/b/**/x y", "/p/b/**/*.o"],
    ],
    ["find . -delete -name x; find . ! -name x -delete; find . -name x -o -delete", ["/p/.", "/p/.", "/p/."]],
    ["find a -name a -delete; find . -name '*' -delete; find b -name $x -delete", ["/p/a", "/p/.", "/p/b"]],
    ["find src -exec rm {} \\; -exec sed -i s/a/b/ {} +", ["/p/src", "/p/src"]],
    ["bash -c 'echo > a'; sh -lc \"bash -c 'echo > b'\"; eval 'echo > c'", ["/p/a", "/p/b", "/p/c"]],
    ["bash <<EOF\necho > a\nEOF", ["/p/a"]],
    ["echo 'rm a' | sh; cat <<E | bash\nrm b\nE", ["/p/a", "/p/b"]],
    [
      "sudo -u x rm a; env -u B -i C=d rm b; timeout 5 rm c; nice -n 5 nohup rm d",
      ["/p/a", "/p/b", "/p/c", "/p/d"],
    ],
    ["env -C sub rm a", ["/p/sub/a"]],
    ["xargs -n 1 rm < list", []],
    [
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch\nEOF",
      ["/p/a", "/p/b"],
    ],
    ["npm test; ls; cat a | grep b; python -c 'open(1)'; node -e 1; make", []],
    ["echo 'a > b'; echo \"c > d\"; echo a\\>b; echo a # > b", []],
    ["", []],
  ])("writes what it writes: %s", (command, expected) => {
    promise("guard.shell");
    expect(paths(command)).toEqual(expected);
  });

  it.each([
    ["git commit -m x", ["commit"]],
    ["git -C a -c b=c --git-dir d commit", ["commit"]],
    ["/usr/bin/git cherry-pick a && env A=b git push", ["commit", "push"]],
    ["gh pr create --fill; glab mr merge 1", ["push"]],
    ["bash -c 'git commit -m x'", ["commit"]],
    ["git log --grep commit; git stash push; gh pr view; git commit-graph write", []],
  ])("commits or pushes: %s", (command, expected) => {
    promise("guard.shell");
    expect(read(command).acts).toEqual(expected);
  });

  it.each([
    ["pawl approve x", ["approve"]],
    ["node --no-warnings /opt/pawl/main.js approve x", ["approve"]],
    ["node /srv/app/main.js approve x", []],
    ["watch pawl approve x; find . -exec pawl reject {} +", ["approve", "reject"]],
    ["pawl status; bloom list; pawl show approve; echo pawl approve", []],
    ["git -C ../pawl reset --hard; git -C ~/bloom reset HEAD~1; git clone a/pawl reset", []],
    ["make -C ../pawl reset; npm --prefix ../pawl reset; cp -r ../pawl reset; cd pawl reset", []],
    ["git bisect run pawl approve x; git submodule foreach pawl reject", ["approve", "reject"]],
    ["pnpm -C sub pawl approve x; watch -C pawl reject x", ["approve", "reject"]],
    [
      "git -C a --git-dir b bisect run bloom reset x; perl -e 'exec @ARGV' pawl approve x",
      ["reset", "approve"],
    ],
    ["pawl --format json approve T", ["approve"]],
  ])("speaks for a person: %s", (command, expected) => {
    promise("guard.shell");
    expect(read(command).verbs).toEqual(expected);
  });

  it("is cut where it writes more than anybody looks at", () => {
    promise("guard.shell");
    expect(read("rm a;".repeat(3000)).isCut).toBe(true);
    expect(read("rm a;".repeat(30)).isCut).toBe(false);
  });

  it("is cut where it holds more scripts than anybody reads, or deeper ones", () => {
    promise("guard.shell");
    expect(read(`bash -c ':${" ".repeat(300_000)}; echo > pawl.yaml'`).isCut).toBe(true);
    expect(read(`bash -c ':${" ".repeat(200_000)}; echo > pawl.yaml'`).isCut).toBe(false);
    expect(read(`${"eval ".repeat(9)} 'echo > pawl.yaml'`).isCut).toBe(true);
    expect(read(`${"eval ".repeat(5)} 'echo > pawl.yaml'`).isCut).toBe(false);
    const many = `find .${" -exec true +".repeat(30)} -exec touch${" a".repeat(300)} pawl.yaml +`;
    expect(paths(many)).toContain("/p/pawl.yaml");
    expect(read(`find .${" -exec true".repeat(3000)}`).isCut).toBe(true);
    expect(read(`${"node /srv/main.js; ".repeat(30)} node /opt/pawl/main.js approve x`)).toMatchObject({
      ...{ isCut: false, verbs: ["approve"] },
    });
    expect(read("node /srv/main.js; ".repeat(300)).isCut).toBe(true);
  });
});
