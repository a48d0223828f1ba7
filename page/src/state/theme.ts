/** Dark or light: as the system wishes, or as chosen here. */
import { computed, effect, signal } from "@preact/signals";
import { recall, remember } from "./local-storage";

export type Looks = "system" | "light" | "dark";

const system = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
const systemDark = signal(system?.matches ?? false);
system?.addEventListener?.("change", (event) => (systemDark.value = event.matches));

export const looks = signal<Looks>((recall("looks") as Looks | null) ?? "system");
export const dark = computed(() => (looks.value === "system" ? systemDark.value : looks.value === "dark"));

export function chooseLooks(chosen: Looks): void {
  looks.value = chosen;
  remember("looks", chosen === "system" ? null : chosen);
}

export function followLooks(): void {
  effect(() => void (document.documentElement.dataset["looks"] = dark.value ? "dark" : "light"));
}
