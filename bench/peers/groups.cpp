#include "groups.hpp"

namespace peers {

const std::vector<Group>& groups() {
  static const std::vector<Group> all{
      {"contacts", "Contacts",
       "taut solves Coulomb's law exactly: what stands, stands, and nothing overlaps, whatever "
       "the masses. A step of it costs a few factorisations, so where errors of a centimetre do "
       "not matter, sweeps are cheaper: Bullet's and ODE's, and taut's own sequential_impulse "
       "and tgs_soft. MuJoCo's contacts are springs with dampers by design: cheap and smooth, "
       "which is what control and learning want, but they overlap, and creep. DART's pivoting is"
       " exact for its friction pyramid and slow for many contacts. Simbody's contacts are "
       "compliant, of spheres and meshes: it is not here.",
       all_scenes},
      {"large", "Contacts of many bodies",
       "Sweeps cost as much as there are contacts; factorisations grow faster. So the more there"
       " is, the better Bullet and ODE look at coarse errors; for fine ones they need many "
       "sweeps, or do not get there.",
       large_scenes},
      {"grasp", "Grasps",
       "Whoever regularises friction creeps: MuJoCo by design, the less the harder its "
       "impedance; ODE by its CFM. Under Bullet's sweeps the box turns between two flat pads and"
       " falls, since friction is solved point after point: five round fingers it holds. "
       "Friction pyramids (ODE, DART) are right here only because the load is along one of their"
       " axes: see the incline. taut holds without creep at 0.1 % above the limit, and slips "
       "below it.",
       grasps},
      {"mechanisms", "Mechanisms",
       "Joint angles have as many unknowns as there is freedom, and joints that cannot come "
       "apart: MuJoCo, Simbody, DART and Bullet's multibody are at their best in open chains of "
       "equal links, MuJoCo with its Runge-Kutta method above all. Loops have to be closed by "
       "constraints, and there they lose that: softly in MuJoCo, not at all with rods in Bullet "
       "and DART. Of heavy ends on light chains, explicit integrators make energy, whatever the "
       "coordinates; Simbody chooses its steps and gets everything right, at a price. ODE's "
       "dWorldStep is the cheapest per step of those with coordinates of bodies, but of first "
       "order and with joints that drift.",
       mechanisms},
      {"cloth", "Cloth",
       "Bullet's soft body is the only other cloth here: a sweep over the edges costs little and"
       " never breaks off, which is what games want; what it stretches by depends on the sweeps "
       "and the step. ODE's rods are not made for nets of thousands. MuJoCo's tendons hold small"
       " nets; its matrices are dense. taut's cloth cannot be stretched, so that the error is "
       "what is left of its iteration.",
       cloths}};
  return all;
}

}  // namespace peers
