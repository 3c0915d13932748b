export { FIGURE_NAMES, FLEET_FIGURES, fleetFigureLook, fleetFiguresOf, figureOf } from "./fleet-looks.ts";
