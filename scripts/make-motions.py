#!/usr/bin/env python3
"""Makes the hand motions of motions/: which finger goes where, turned into the 22 angles.

  scripts/make-motions.py [--taut build/release/bin/taut] [NAME …]

The model of the hand is what `taut hand --json` prints. A grasp says where the fingertips are to be,
in the frame of the wrist (x to the fingers, y to the thumb, z out of the back of the hand); the
angles are found by least squares.
"""
import argparse
import json
import math
import pathlib
import subprocess

root = pathlib.Path(__file__).resolve().parent.parent

# Vectors and matrices, as lists.


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def scaled(s, a):
    return [s * x for x in a]


def turned(m, a):
    return [sum(r * x for r, x in zip(row, a)) for row in m]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def turn_about(axis, angle):
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    d = 1 - c
    return [
        [c + x * x * d, x * y * d - z * s, x * z * d + y * s],
        [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
        [z * x * d - y * s, z * y * d + x * s, c + z * z * d],
    ]


def solved(matrix, right):
    """Gauss elimination with pivoting."""
    n = len(right)
    rows = [list(row) + [b] for row, b in zip(matrix, right)]
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for r in range(i + 1, n):
            f = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= f * rows[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][c] * x[c] for c in range(i + 1, n))) / rows[i][i]
    return x


class Hand:
    fingers = ["thumb", "index", "middle", "ring", "pinkie"]

    def __init__(self, taut):
        text = subprocess.run([taut, "hand", "--json"], check=True, capture_output=True).stdout
        model = json.loads(text)
        self.limbs = {limb["name"]: limb for limb in model["limbs"]}
        self.limits = {a["name"]: (a["lower"], a["upper"]) for a in model["angles"]}

    def frame(self, name, angles):
        """Origin and axes of a limb, in the frame of the wrist."""
        limb = self.limbs[name]
        if limb["parent"] is None:
            origin, axes = [0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        else:
            origin, axes = self.frame(limb["parent"], angles)
        origin = add(origin, turned(axes, limb["joint"]))
        for turn in limb["turns"]:
            angle = turn["factor"] * angles.get(turn["angle"], 0)
            axes = product(axes, turn_about(turn["axis"], angle))
        return origin, axes

    def radius(self, finger):
        return self.limbs[finger + "_distal"]["radius"]

    def tip(self, finger, angles):
        """Centre of the ball at the end of a finger, and where the finger points."""
        name = finger + "_distal"
        limb = self.limbs[name]
        origin, axes = self.frame(name, angles)
        along = [row[0] for row in axes]
        return add(origin, scaled(limb["length"] - limb["radius"], along)), along

    def reach(self, finger, target, pointing, start):
        """Angles with which the end of the finger is at `target`, pointing roughly somewhere."""
        if finger == "thumb":
            names = ["thumb_rotate", "thumb_ab", "thumb_mpj", "thumb_ij"]
        else:
            names = [finger + "_mpj", finger + "_pij", finger + "_dij"]
            if finger != "middle":
                ab = {"index": "middle_index_ab", "ring": "ring_middle_ab", "pinkie": "pinkie_ring_ab"}
                names.append(ab[finger])
        angles = dict(start)
        weight = 0.003  # m per rad: of pointing and of comfort, against the place

        def residuals():
            place, along = self.tip(finger, angles)
            out = [p - t for p, t in zip(place, target)]
            out += [weight * (a - b) for a, b in zip(along, pointing)]
            out += [0.03 * weight * (angles.get(n, 0) - start.get(n, 0)) for n in names]
            return out

        def within(name, angle):
            low, high = self.limits[name]
            if name.endswith("ij"):
                low = 0.1  # nobody bends the last joints back, and pressing bends them further
            return min(high - 1e-4, max(low + 1e-4, angle))

        damping, cost = 1e-6, sum(r * r for r in residuals())
        for _ in range(200):  # Levenberg and Marquardt
            now = residuals()
            columns = []
            for n in names:
                before = angles.get(n, 0)
                angles[n] = before + 1e-6
                columns.append([(b - a) / 1e-6 for a, b in zip(now, residuals())])
                angles[n] = before
            k = len(names)
            normal = [[sum(a * b for a, b in zip(columns[i], columns[j])) for j in range(k)] for i in range(k)]
            for i in range(k):
                normal[i][i] += damping
            step = solved(normal, [-sum(a * b for a, b in zip(columns[i], now)) for i in range(k)])
            before = dict(angles)
            for n, s in zip(names, step):
                angles[n] = within(n, angles.get(n, 0) + s)
            after = sum(r * r for r in residuals())
            if after < cost:
                cost, damping = after, damping / 3
            else:
                angles, damping = before, damping * 4
        place, _ = self.tip(finger, angles)
        miss = math.dist(place, target)
        if miss > 0.002:
            print(f"  {finger} misses by {1000 * miss:.1f} mm")
        return {n: angles[n] for n in names}

    def pinch(self, centre, half, fingers, gap, start):
        """Thumb and fingers on two faces of a block, x = centre ± half, `gap` away from it."""
        angles = dict(start)
        for finger in fingers:
            side = -1 if finger == "thumb" else 1
            offset = half + gap + self.radius(finger)
            y = centre[1] if finger == "thumb" else self.limbs[finger + "_proximal"]["joint"][1]
            # The pinkie is short. The thumb is opposite to where the others press on average.
            z = centre[2] + {"pinkie": 0.024, "thumb": 0.004 if len(fingers) > 3 else 0}.get(finger, 0)
            pointing = [0.8, 0, -0.5] if finger == "thumb" else [-0.1, 0, -1]
            angles.update(self.reach(finger, [centre[0] + side * offset, y, z], pointing, start))
        return angles


relaxed = {
    "thumb_rotate": 1.4, "thumb_ab": 0.8, "thumb_mpj": 0.2, "thumb_ij": 0.2,
    "index_mpj": 0.7, "index_pij": 0.5, "index_dij": 0.3,
    "middle_mpj": 0.7, "middle_pij": 0.5, "middle_dij": 0.3,
    "ring_mpj": 0.7, "ring_pij": 0.5, "ring_dij": 0.3,
    "pinkie_mpj": 0.7, "pinkie_pij": 0.5, "pinkie_dij": 0.3,
}


# Where a thing of a thickness of 30 mm is grasped, in the frame of the wrist.
grip, thickness = [0.09, 0.004, -0.07], 0.03
cloth_thickness = 0.0015


class Grasp:
    """Thumb and fingers around something at `grip`; the parameter `squeeze` (m) is how deep the
    ghosts of their tips are in it."""

    def __init__(self, hand, fingers, point=grip, thick=thickness):
        self.point = point
        half = thick / 2
        self.opened = hand.pinch(point, half, fingers, 0.012, relaxed)
        self.touch = hand.pinch(point, half, fingers, 0, self.opened)
        pressed = hand.pinch(point, half, fingers, -0.002, self.touch)
        self.slope = {n: (pressed[n] - a) / 0.002 for n, a in self.touch.items()}
        if len(fingers) < 5:  # the others stay out of the way
            for finger in hand.fingers[len(fingers):]:
                for angles in (self.opened, self.touch):
                    angles.update({finger + "_mpj": 0.0, finger + "_pij": 0.1, finger + "_dij": 0.1})
                self.slope.update({finger + j: 0.0 for j in ("_mpj", "_pij", "_dij")})

    def closed(self):
        return {n: f"={a:.5f}{self.slope[n]:+.4f}*squeeze" if abs(self.slope[n]) > 1e-3 else a
                for n, a in self.touch.items()}


def frame(time, position=None, angles=None, turn=None):
    out = {"time": time}
    if position is not None:
        out["position"] = position
    if turn is not None:
        out["orientation"] = {"axis": turn[0], "angle": turn[1]}
    if angles is not None:
        out["angles"] = {n: a if isinstance(a, str) else round(a, 5) for n, a in angles.items()}
    return out


def reach_for(grasp):
    """Comes from above and closes, by 1.1 s."""
    return [
        frame(0, [0, 0, 0.08], grasp.opened),
        frame(0.5, [0, 0, 0]),
        frame(0.9, angles=grasp.closed()),
        frame(1.1),
    ]


def let_go(grasp, time, place, above):
    return [
        frame(time, place),
        frame(round(time + 0.2, 4)),
        frame(round(time + 0.6, 4), angles=grasp.opened),
        frame(round(time + 1.2, 4), above),
    ]


def lift(grasp):
    return reach_for(grasp) + [frame(1.8, [0, 0, 0.15]), frame(3.2)] + let_go(grasp, 4.0, [0, 0, 0], [0, 0, 0.1])


def grasp_box(hand):
    """Grasps with all fingers, lifts, holds, puts down and lets go."""
    grasp = Grasp(hand, hand.fingers)
    return grasp.point, lift(grasp)


def pinch_two(hand):
    """The same with thumb and index finger."""
    grasp = Grasp(hand, hand.fingers[:2], [grip[0], 0.026, grip[2]])
    return grasp.point, lift(grasp)


def pinch_three(hand):
    """The same with thumb, index and middle finger."""
    grasp = Grasp(hand, hand.fingers[:3], [grip[0], 0.015, grip[2]])
    return grasp.point, lift(grasp)


def carry(hand):
    """Grasps, lifts, carries along x, puts down and lets go. Parameters: rise and way, m; drop, m."""
    grasp = Grasp(hand, hand.fingers)
    return grasp.point, reach_for(grasp) + [
        frame(1.7, [0, 0, "=rise"]),
        frame(2.5, ["=way", 0, "=rise"]),
    ] + let_go(grasp, 3.3, ["=way", 0, "=drop"], ["=way", 0, "=rise+0.05"])


def twist(hand):
    """Grasps and turns about the vertical. Parameter: turn, rad."""
    grasp = Grasp(hand, hand.fingers)
    up = [0, 0, 1]
    return grasp.point, reach_for(grasp) + [frame(2.1, turn=(up, "=turn")), frame(2.3)] + [
        frame(2.7, angles=grasp.opened), frame(3.3, [0, 0, 0.1])]


def pull(hand):
    """Grasps and draws back and up. Parameters: way and rise, m."""
    grasp = Grasp(hand, hand.fingers)
    return grasp.point, reach_for(grasp) + [frame(2.2, ["=-way", 0, "=rise"]), frame(3.0)]


def swing(hand):
    """Grasps a handle and swings it about an axis along y, `arm` behind it and `height` below (m),
    by `turn` (rad). Positions are those of the axis."""
    grasp = Grasp(hand, hand.fingers)
    axis = [f"={grip[0]}-arm", grip[1], f"={grip[2]}-height"]
    return axis, reach_for(grasp) + [frame(2.1, turn=([0, 1, 0], "=-turn")), frame(2.6)]


def lift_corner(hand):
    """Thumb up, comes from the side, pinches cloth that hangs between thumb and index finger, draws it
    to the wrist and up, and holds it. Parameters: way and rise, m."""
    grasp = Grasp(hand, hand.fingers[:2], [grip[0], 0.026, grip[2]], cloth_thickness)
    for angles in (grasp.opened, grasp.touch):  # the others make a fist
        angles.update({finger + j: 1.5 for finger in hand.fingers[2:] for j in ("_mpj", "_pij")})
    return grasp.point, [
        frame(0, [0, 0.08, 0], grasp.opened, ([0, 1, 1], round(math.pi, 5))),
        frame(0.4, [0, 0, 0]),
        frame(0.8, angles=grasp.closed()),
        frame(0.9),
        frame(1.8, ["=way", 0, "=rise"]),
        frame(2.4),
    ]


motions = {f.__name__: f for f in [grasp_box, pinch_two, pinch_three, carry, twist, pull, swing, lift_corner]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--taut", default=str(root / "build/release/bin/taut"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    hand = Hand(arguments.taut)
    for name in arguments.names or motions:
        print(name)
        point, keyframes = motions[name](hand)
        lines = ",\n    ".join(json.dumps(k) for k in keyframes)
        description = json.dumps(" ".join(motions[name].__doc__.split()))
        text = f'{{\n  "description": {description},\n  "point": {json.dumps(point)},\n'
        text += f'  "keyframes": [\n    {lines}\n  ]\n}}\n'
        (root / "motions" / (name + ".json")).write_text(text)


if __name__ == "__main__":
    main()
