/** The window's policy, which the app's frame inherits, evaluates no texts; zod would try, as a test's own evaluations may. */
import { z } from "zod";

z.config({ jitless: true });
