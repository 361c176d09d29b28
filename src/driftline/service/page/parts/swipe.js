// Horizontal swipes on a touch screen; vertical ones scroll as usual.

const least = 70;

/** @param {HTMLElement} place @param {{ right: () => void, left: () => void }} what */
export function swipes(place, { right, left }) {
  let start = { x: NaN, y: NaN };
  place.addEventListener("pointerdown", (event) => {
    start = event.pointerType === "mouse" ? { x: NaN, y: NaN } : { x: event.clientX, y: event.clientY };
  });
  place.addEventListener("pointermove", (event) => {
    const across = event.clientX - start.x;
    if (Math.abs(across) > 12 && Math.abs(across) > 1.5 * Math.abs(event.clientY - start.y)) {
      place.style.transform = `translateX(${across}px)`;
      place.dataset.swipe = across > least ? "right" : across < -least ? "left" : "";
    }
  });
  for (const type of ["pointerup", "pointercancel"]) {
    place.addEventListener(type, () => {
      const direction = place.dataset.swipe;
      start = { x: NaN, y: NaN };
      place.style.transform = "";
      place.dataset.swipe = "";
      if (type === "pointerup" && direction === "right") right();
      if (type === "pointerup" && direction === "left") left();
    });
  }
}
