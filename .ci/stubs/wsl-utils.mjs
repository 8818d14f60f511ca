// Stands in the bundle for a package that looks for the Windows subsystem at every start; nothing here asks for it.
export const isWsl = false;
