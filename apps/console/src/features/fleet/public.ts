export { FIGURE_NAMES, FLEET_FIGURES, fleetFigureLook, fleetFiguresOf } from "./fleet-looks.ts";
