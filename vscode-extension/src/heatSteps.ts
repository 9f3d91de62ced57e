// How hot a line is, and how that looks: a bar that is wider and warmer with every step, so that
// the step can be read without telling colours apart.
import type { HeatLine } from "./protocol";

export const steps = [1, 2, 3, 4, 5] as const;
export type Step = (typeof steps)[number];
export type Theme = "light" | "dark";

const colours: Record<Theme, readonly string[]> = {
  light: ["#9db9d9", "#d9b84a", "#e08a1e", "#d4501c", "#b0151f"],
  dark: ["#4d6f94", "#a88a2a", "#cf8a2b", "#e8662f", "#ff4b4b"],
};

export function heatIcon(step: Step, theme: Theme): string {
  const width = 2 + step * 2;
  const colour = colours[theme][step - 1];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">` +
    `<rect x="${16 - width}" y="0" width="${width}" height="16" fill="${colour}"/></svg>`
  );
}

export function heatColour(step: Step, theme: Theme): string {
  return colours[theme][step - 1] ?? "";
}

/** The lines (from 1) of each step, each line once and at its hottest. */
export function linesByStep(heat: readonly HeatLine[]): Map<Step, number[]> {
  const hottest = new Map<number, Step>();
  for (const { line, step } of heat) {
    if (!steps.includes(step as Step) || line < 1) continue;
    const known = hottest.get(line);
    if (known === undefined || known < step) hottest.set(line, step as Step);
  }
  const byStep = new Map<Step, number[]>(steps.map((step) => [step, []]));
  for (const [line, step] of hottest) byStep.get(step)?.push(line);
  return byStep;
}
